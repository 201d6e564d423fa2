"""What builders make of the text of a program, character by character."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import libcst as cst
import pytest

from devlint.finding import Edit, Span
from devlint.lower import cst_edit, from_cst, ir
from devlint.lower.change import Change
from devlint.lower.cst_span import Offsets
from devlint.rule import changes
from devlint.text.source_text import edited
from tests.same_lowering import nodes


def changed(text: str, kind: type[ir.Node], make: Callable[[Any], Change]) -> str | None:
    """The text after a change of its first node of a kind; None when there is no fix."""
    lowered = from_cst.lower(text)
    node = next(node for node in nodes(lowered.module) if isinstance(node, kind))
    edits = lowered.edits([make(node)])
    if edits is None:
        return None
    after = edited(text, edits)
    ast.parse(after)
    return after


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("f(x)\n", ir.Call, "f(x).to(d)\n"),
        ("y = -m\n", ir.Unary, "y = (-m).to(d)\n"),
        ("y = (-m)\n", ir.Unary, "y = (-m).to(d)\n"),
        ("f(a + b, c)\n", ir.Binary, "f((a + b).to(d), c)\n"),
        ("f(a\n  + b)\n", ir.Binary, "f((a\n  + b).to(d))\n"),
        ("y = a if b else c\n", ir.Conditional, "y = (a if b else c).to(d)\n"),
        ("y = a, b\n", ir.Display, "y = (a, b).to(d)\n"),
        ("y = [a]  # why\n", ir.Display, "y = [a].to(d)  # why\n"),
        ("f(lambda: a)\n", ir.Lambda, "f((lambda: a).to(d))\n"),
        ("async def f():\n    await g\n", ir.Await, "async def f():\n    (await g).to(d)\n"),
        ("f(x for x in y)\n", ir.Comprehension, None),
        ("y = f'{x}' 'b'\n", ir.Text, "y = (f'{x}' 'b').to(d)\n"),
        ("if a:\n\ty = x[\n\t\t0\n\t]\n", ir.Subscript, "if a:\n\ty = x[\n\t\t0\n\t].to(d)\n"),
    ],
)
def test_what_follows_binds_to_the_whole(
    text: str, kind: type[ir.Node], expected: str | None
) -> None:
    assert changed(text, kind, lambda node: changes.moved_to(node, "d")) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f()\n", "f(device=d)\n"),
        ("f(a)\n", "f(a, device=d)\n"),
        ("f(a,)\n", "f(a, device=d,)\n"),
        ("f( a )\n", "f( a, device=d )\n"),
        ("f(a, device=None)\n", "f(a, device=d)\n"),
        ("f(*a)\n", "f(*a, device=d)\n"),
        ("f(**k)\n", "f(device=d, **k)\n"),
        ("f(a, **k)\n", "f(a, device=d, **k)\n"),
        ("f(x for x in y)\n", "f((x for x in y), device=d)\n"),
        ("f(\n    a,\n    b\n)\n", "f(\n    a,\n    b,\n    device=d\n)\n"),
        ("f(\n    a,\n    b,\n)\n", "f(\n    a,\n    b,\n    device=d,\n)\n"),
        ("f(\n    a, b\n)\n", "f(\n    a, b, device=d\n)\n"),
        ("f(a,\n  b)\n", "f(a,\n  b,\n  device=d)\n"),
        ("f(a,  # one\n  b)\n", "f(a,  # one\n  b,\n  device=d)\n"),
        ("f(\n    a  # one\n)\n", "f(\n    a,  # one\n    device=d\n)\n"),
        ("f(\n    a,  # one\n    # two\n)\n", "f(\n    a,  # one\n    # two\n    device=d,\n)\n"),
        ("f(\n    a, b  # two\n)\n", "f(\n    a, b,  # two\n    device=d\n)\n"),
        ("f(\n    a,\n    **k,\n)\n", "f(\n    a,\n    device=d,\n    **k,\n)\n"),
        (
            "if a:\n    f(\n        a,\n    )\n",
            "if a:\n    f(\n        a,\n        device=d,\n    )\n",
        ),
        ("f(  # one\n)\n", "f(  # one\ndevice=d)\n"),
    ],
)
def test_keyword_joins_the_arguments_as_they_are_laid_out(text: str, expected: str) -> None:
    assert (
        changed(text, ir.Call, lambda call: changes.with_keyword(call, "device", "d")) == expected
    )


@pytest.mark.parametrize(
    ("text", "target", "expected"),
    [
        ("x.to(d)\n", None, "x = x.to(d)\n"),
        ("a.b[0].to(d)  # up\n", None, "a.b[0] = a.b[0].to(d)  # up\n"),
        ("x.to(d); y = 1\n", None, "x = x.to(d); y = 1\n"),
        ("if a: x.to(d)\n", None, "if a: x = x.to(d)\n"),
        ("move(x)\n", "x", "x = move(x)\n"),
        ("move(x)\n", None, None),
    ],
)
def test_result_is_assigned_back(text: str, target: str | None, expected: str | None) -> None:
    assert changed(text, ir.Evaluate, lambda each: changes.assigned_back(each, target)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("self.a = x\n", 'self.register_buffer("a", x, persistent=False)\n'),
        ("self.a = x, y\n", 'self.register_buffer("a", (x, y), persistent=False)\n'),
        (
            "self.a = f(\n    x,  # one\n)\n",
            'self.register_buffer("a", f(\n    x,  # one\n), persistent=False)\n',
        ),
        ("self.a = self.b = x\n", None),
        ("a = x\n", None),
    ],
)
def test_attribute_becomes_a_buffer(text: str, expected: str | None) -> None:
    assert changed(text, ir.Assign, changes.registered_buffer) == expected


def test_persistent_buffer_is_registered_without_a_keyword() -> None:
    made = changed(
        "m.a = x\n", ir.Assign, lambda a: changes.registered_buffer(a, is_persistent=True)
    )
    assert made == 'm.register_buffer("a", x)\n'


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("y = [a, b]  # layers\n", ir.Display, "y = nn.ModuleList([a, b])  # layers\n"),
        ("y = a, b\n", ir.Display, "y = nn.ModuleList((a, b))\n"),
        ("y = (a, b)\n", ir.Display, "y = nn.ModuleList((a, b))\n"),
        ("y = [\n    a,  # one\n]\n", ir.Display, "y = nn.ModuleList([\n    a,  # one\n])\n"),
    ],
)
def test_expression_is_wrapped(text: str, kind: type[ir.Node], expected: str) -> None:
    assert changed(text, kind, lambda node: changes.wrapped(node, "nn.ModuleList")) == expected


@pytest.mark.parametrize(
    ("text", "new", "expected"),
    [
        ("y = f(x)\n", "g(x)", "y = g(x)\n"),
        ("y = f(x)[0]\n", "-x", "y = (-x)[0]\n"),
        ("y = (f)(x)\n", "g", "y = g\n"),
        ("y = f(  # why\n    x)\n", "g", None),
    ],
)
def test_expression_is_replaced_unless_a_comment_goes(
    text: str, new: str, expected: str | None
) -> None:
    assert changed(text, ir.Call, lambda node: changes.replaced(node, new)) == expected


@pytest.mark.parametrize(
    ("text", "above", "below"),
    [
        ("f()\n", "s\nf()\n", "f()\ns\n"),
        ("f()", "s\nf()", "f()\ns"),
        ("# why\nf()  # how\n", "# why\ns\nf()  # how\n", "# why\nf()  # how\ns\n"),
        (
            "if a:\n\tx = f(\n\t\t1)\n",
            "if a:\n\ts\n\tx = f(\n\t\t1)\n",
            "if a:\n\tx = f(\n\t\t1)\n\ts\n",
        ),
        (
            "for x in f():\n    pass\ny\n",
            "s\nfor x in f():\n    pass\ny\n",
            "for x in f():\n    pass\ns\ny\n",
        ),
        ("f(); y\n", None, None),
        ("if a: f()\n", None, None),
        ("if f():\n    a\n", "s\nif f():\n    a\n", "if f():\n    a\ns\n"),
        (
            "if a:\n    b\nelif f():\n    c\n",
            "s\nif a:\n    b\nelif f():\n    c\n",
            "if a:\n    b\nelif f():\n    c\ns\n",
        ),
    ],
)
def test_statement_gets_a_neighbour(text: str, above: str | None, below: str | None) -> None:
    assert changed(text, ir.Call, lambda node: changes.preceded(node, "s")) == above
    assert changed(text, ir.Call, lambda node: changes.succeeded(node, "s")) == below


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("for x in y:\n    f(x)\n", "for x in y:\n    s\n    f(x)\n"),
        ("for x in y:  # each\n  # one\n  f(x)\n", "for x in y:  # each\n  s\n  # one\n  f(x)\n"),
        ("if a:\n\tfor x in y:\n\t\tf(x)\n", "if a:\n\tfor x in y:\n\t\ts\n\t\tf(x)\n"),
        ("for x in y:\n    f(x)", "for x in y:\n    s\n    f(x)"),
        ("for x in y: f(x)\n", None),
    ],
)
def test_loop_gets_a_first_statement(text: str, expected: str | None) -> None:
    assert changed(text, ir.For, lambda loop: changes.begun(loop, "s")) == expected


@pytest.mark.parametrize(
    "text",
    ["x", "self.device", '"cuda:0"', "f(a.b, 1, k=None)", "x[0].device", "next(m.parameters())"],
)
def test_short_expression_is_spelled_out(text: str) -> None:
    (statement,) = from_cst.lower(text).module.body
    assert isinstance(statement, ir.Evaluate)
    assert changes.spelled(statement.value) == text


@pytest.mark.parametrize("text", ["a + b", "f(*a)", "[a]", "x[0:1]", "'\\n'", "a" * 81, "f(a + b)"])
def test_other_expressions_are_not_spelled_out(text: str) -> None:
    (statement,) = from_cst.lower(text).module.body
    assert isinstance(statement, ir.Evaluate)
    assert changes.spelled(statement.value) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("for x, y in l:\n    f(x)\n", "for x, y in l:\n    x = s\n    f(x)\n"),
        ("for i, (x, y) in e(l):\n    f(x)\n", "for i, (x, y) in e(l):\n    x = s\n    f(x)\n"),
        ("for x in l:\n    f(x)\n", "for x in l:\n    x = s\n    f(x)\n"),
        ("for i, x in e(l):\n    f(x)\n", None),
        ("for b in l:\n    x = b\n    f(x)\n", None),
        ("for x, y in l: f(x)\n", None),
        ("for x, y in l:\n    pass\nf(x)\n", None),
    ],
)
def test_loop_over_what_is_given_begins_with_a_statement(text: str, expected: str | None) -> None:
    lowered = from_cst.lower(text)
    loop = lowered.module.body[0]
    assert isinstance(loop, ir.For)
    given = loop.iter.args[0] if isinstance(loop.iter, ir.Call) else loop.target
    uses = (node for node in nodes(lowered.module) if isinstance(node, ir.Call))
    use = next(each for each in uses if each is not loop.iter)
    edits = lowered.edits([changes.looped(given, "x = s", use)])
    assert (None if edits is None else edited(text, edits)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f(x)\n", "import p\nf(x)\n"),
        ("import p\nf(x)\n", None),
        ("import os, p.q\nf(x)\n", None),
        ("if a:\n    import p\nf(x)\n", None),
        ("import p as q\nf(x)\n", "import p\nimport p as q\nf(x)\n"),
        (
            "import p.q as q\n# why\nimport z\nf(x)\n",
            "import p\nimport p.q as q\n# why\nimport z\nf(x)\n",
        ),
        (
            "# licence\n\n# why\nfrom p.q import r\nf(x)\n",
            "# licence\n\n# why\nimport p\nfrom p.q import r\nf(x)\n",
        ),
        (
            "#!/usr/bin/env python\n'doc'\nfrom __future__ import annotations\n\nimport os\nf(x)\n",
            "#!/usr/bin/env python\n'doc'\nfrom __future__ import annotations\n\n"
            "import p\nimport os\nf(x)\n",
        ),
        ("'doc'\nf(x)", "'doc'\nimport p\nf(x)"),
        ("'doc'\r\n\r\nf(x)\r\n", "'doc'\r\n\r\nimport p\r\nf(x)\r\n"),
        ("def g():\n    import p\nf(x)\n", "import p\ndef g():\n    import p\nf(x)\n"),
    ],
)
def test_import_is_added_where_it_belongs(text: str, expected: str | None) -> None:
    assert changed(text, ir.Call, lambda call: changes.imported(call, "p")) == expected


def test_a_change_parses_no_more_than_the_statement_of_the_module_that_it_is_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    function = "# why\ndef f(x):\n    return g(x)\n"
    lowered = from_cst.lower(function * 3)
    calls = [node for node in nodes(lowered.module) if isinstance(node, ir.Call)]
    parsed: list[str] = []

    def parses(text: str) -> bool:
        parsed.append(text)
        return True

    monkeypatch.setattr(cst_edit, "parses", parses)
    assert lowered.edits([changes.moved_to(calls[1], "d")])
    assert parsed == [function.replace("g(x)", "g(x).to(d)")]


@pytest.mark.parametrize(
    ("span", "text", "expected"),
    [
        (Span(None, 2, 1, 2, 1), "import x\n", ["import x\nb = 2\n"]),
        (Span(None, 1, 5, 1, 6), "3", ["a = 3\n"]),
        (Span(None, 1, 1, 2, 1), "", []),
        (Span(None, 1, 6, 2, 1), "", []),
        (Span(None, 1, 5, 2, 2), "3\nb", []),
        (Span(None, 3, 1, 3, 1), "c = 3\n", ["b = 2\nc = 3\n"]),
    ],
)
def test_sections_say_nothing_of_the_whole_where_they_are_joined(
    span: Span, text: str, expected: list[str]
) -> None:
    whole = "a = 1\nb = 2\n"
    offsets = Offsets(cst.parse_module(whole))
    assert cst_edit.changed_sections(offsets, whole, [Edit(span, text)]) == expected
    assert cst_edit.changed_sections(offsets, f"\f{whole}", [Edit(span, text)]) == []
