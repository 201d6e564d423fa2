"""Both front ends lower every construct to the same representation, with the same spans."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import pytest

from devlint.finding import Span
from devlint.lower import from_ast, from_cst, ir
from devlint.lower.lowered import Lowered, number_of
from devlint.lower.node_ids import NodeIds

_spec = importlib.util.spec_from_file_location(
    "same_lowering", Path(__file__).with_name("same_lowering.py")
)
assert _spec is not None
assert _spec.loader is not None
same_lowering = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(same_lowering)

CONSTRUCTS = (Path(__file__).parent / "constructs.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("text", re.split(r"(?m)^---\n", CONSTRUCTS))
def test_both_front_ends_agree(text: str) -> None:
    if sys.version_info < (3, 11) and re.search(r"except\*|\w\[\*|: \*Ts", text):
        pytest.skip("syntax of Python 3.11")
    assert list(same_lowering.differences(text)) == []


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffx = '😀'; y\n",
        "x = '''a\r\nb'''\r\nif x:\r\n\ty\r\n",
        "x\ry\r",
        "\f\nclass A:\n    x = 1\n\f\n    y = 2\n",
        "x = '\f', y\n",
        "\uff57 = self.\uff57 = f(\uff57=1)\n",
        "x = '\u2028', y",
        "",
        "\n# only a comment",
    ],
)
def test_both_front_ends_agree_on_odd_characters(text: str) -> None:
    assert list(same_lowering.differences(text)) == []


@pytest.mark.parametrize("text", re.split(r"(?m)^---\n", CONSTRUCTS))
def test_nodes_whose_syntax_is_not_kept_stand_where_the_others_do(text: str) -> None:
    try:
        lowered = from_ast.lower(text)
    except SyntaxError:
        pytest.skip("syntax of a later Python")
    known, packed = NodeIds(lowered.module).nodes, NodeIds(from_ast.lower(text, 7).module).nodes
    assert list(lowered.spans(known).values()) == list(lowered.spans(packed).values())
    assert {number_of(each) for each in packed} == {7}
    assert {number_of(each) for each in known} == {None}


def excerpt(text: str, span: Span) -> str:
    lines = re.split(r"(?<=\n)", text)
    start = sum(map(len, lines[: span.line - 1])) + span.column - 1
    end = sum(map(len, lines[: span.end_line - 1])) + span.end_column - 1
    return text[start:end]


@pytest.mark.parametrize("front_end", [from_ast.lower, from_cst.lower])
@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("x = '😀é', f(a)", ir.Call, "f(a)"),
        ("if x:\n\tf(a)  # c\n\n# d\n", ir.If, "if x:\n\tf(a)"),
        ("x = ((a, b))", ir.Display, "(a, b)"),
        ("x = a, # c", ir.Display, "a,"),
        ("x[a, b ,]", ir.Display, "a, b ,"),
        ("x[a: # c\n ]", ir.Slice, "a:"),
        ("x = (a + b)", ir.Binary, "a + b"),
        ("x = (a) + b", ir.Binary, "(a) + b"),
        ("f (x for x in y)", ir.Comprehension, "(x for x in y)"),
        ("[x for (a, b) in (c) if (d)]", ir.Clause, "(a, b) in (c) if (d"),
        ("f(*(a) , b)", ir.Starred, "*(a)"),
        ("@a\n@b\nasync def f(x): pass", ir.Def, "async def f(x): pass"),
        ("@a\nclass A:\n    x;\n# c", ir.Class, "class A:\n    x;"),
        ("def f(*a: (b)): pass", ir.Parameter, "a: (b)"),
        ("try: a\nexcept B as c:\n  d\n", ir.Handler, "except B as c:\n  d"),
        ("match a:\n case b:\n  c\n  d;\n", ir.Case, "c\n  d"),
        ("(a)\n", ir.Evaluate, "(a)"),
        ("x = ('a' # c\n 'b')", ir.Constant, "'a' # c\n 'b'"),
        ("a\n", ir.Module, ""),
    ],
)
def test_a_span_is_the_source_of_its_node(
    front_end: object, text: str, kind: type[ir.Node], expected: str
) -> None:
    assert callable(front_end)
    lowered: Lowered = front_end(text)
    node = next(node for node in same_lowering.nodes(lowered.module) if isinstance(node, kind))
    assert excerpt(text, lowered.spans([node])[node]) == expected


def test_words_and_stores_include_nested_scopes() -> None:
    text = "def f(a):\n  def g():\n    self.x, b.y[0] = a\n    k(z=1)\n  for h.w in q: pass\n"
    function = from_ast.lower(text).module.body[0]
    assert isinstance(function, ir.Def)
    assert function.words == {"f", "a", "g", "self", "x", "b", "y", "k", "z", "h", "w", "q"}
    assert function.stores == {"x", "w"}


def test_a_yield_belongs_to_the_innermost_function() -> None:
    body = from_ast.lower(
        "def f():\n  def g(): yield\n  lambda: (yield)\ndef h(): x = yield"
    ).module
    outer, last = body.body
    assert isinstance(outer, ir.Def)
    assert isinstance(last, ir.Def)
    assert (outer.has_yield, last.has_yield) == (False, True)
    inner = outer.body[0]
    assert isinstance(inner, ir.Def)
    assert inner.has_yield


def test_an_annotation_without_a_value_declares_only_a_name() -> None:
    for lower in (from_ast.lower, from_cst.lower):
        [declared] = lower("x: int; x.y: int").module.body
        assert isinstance(declared, ir.Declare)
        assert declared.name == "x"


def test_a_text_says_what_it_starts_with() -> None:
    for lower in (from_ast.lower, from_cst.lower):
        body = lower('f"cuda:{i}"\n"cu" f"da:{i}"\nf"{i}cuda"\nf"a b{i}"\n').module.body
        texts = [statement.value for statement in body if isinstance(statement, ir.Evaluate)]
        assert [t.start for t in texts if isinstance(t, ir.Text)] == ["cuda:", "cuda:", "", ""]


def test_libcst_reads_bytes_in_their_encoding() -> None:
    statement = from_cst.lower("# coding: latin-1\nx = 'é'".encode("latin-1")).module.body[0]
    assert isinstance(statement, ir.Assign)
    assert isinstance(statement.value, ir.Constant)
    assert statement.value.value == "é"


def test_libcst_reads_newer_syntax_than_python() -> None:
    text = 'type A[T: int = str, *B, **C] = T\nx = t"{a:{b}}"\ndef f[T](x: T): pass\n'
    alias, template, function = from_cst.lower(text).module.body
    assert isinstance(alias, ir.Assign)
    assert isinstance(template, ir.Assign)
    assert isinstance(template.value, ir.Text)
    assert len(template.value.fields) == 2
    assert isinstance(function, ir.Def)
    assert function.words == {"f", "T", "x"}
