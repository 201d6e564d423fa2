"""What only IPython understands becomes Python, and all else keeps its lines and columns."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlint.document.ipython import read

UNKNOWN = "get_ipython()"


def lines(source: str) -> list[str]:
    """The lines of a cell that is Python, as Python reads them."""
    reading = read(source)
    assert reading.refusal is None
    ast.parse(reading.text)
    return list(reading.lines)


@pytest.mark.parametrize(
    "escape",
    [
        *("%matplotlib inline", "% matplotlib inline", "%cd ..", "%load x.py", "%run x.py -v"),
        *("%autoreload 2", "%pip install -q x", "!pip install x", "!!ls", "?x", "??x", "x?"),
        *("x.y??", "%time?", "x[0].y?", "*int*?", "/f x", ",f a b", ";f a", "%env A=1"),
        *("pip install x", "cd ../data", "ls -la ~", "!echo 'it", "! ls", "%%time"),
    ],
)
def test_escapes_are_calls_of_which_nothing_is_known(escape: str) -> None:
    assert lines(f"x = 1\n{escape}\ny = 2") == ["x = 1", UNKNOWN, "y = 2"]
    assert lines(f"if x:\n    {escape}") == ["if x:", f"    {UNKNOWN}"]


@pytest.mark.parametrize("target", ["x", "x, y", "d['k']", "a.b[0]"])
@pytest.mark.parametrize("escape", ["!ls", "%timeit -o f()", "!cat a \\\n  b"])
def test_what_an_escape_gives_is_unknown(target: str, escape: str) -> None:
    rest = [""] * escape.count("\n")
    assert lines(f"{target} = {escape}\nz") == [f"{target} = {UNKNOWN}", *rest, "z"]


def test_shell_commands_go_on_behind_a_backslash() -> None:
    assert lines("!pip install \\\n  'torch \\\n  x\ny = 1") == [UNKNOWN, "", "", "y = 1"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("%time x = f(1)", "0;    x = f(1)"),
        ("  %time  x = f(1)", "  0;     x = f(1)"),
        ("%time f(1)", "0,    f(1)"),
        ("%timeit f(1)", "0,      f(1)"),
        ("%timeit -n 10 -r3 -q f(1)", "0,                   f(1)"),
        ("%timeit x = f(1)", UNKNOWN),
        ("%time for x in y: pass", UNKNOWN),
        ("%time !ls", UNKNOWN),
        ("%timeit", UNKNOWN),
    ],
)
def test_timed_statements_run_in_their_place(line: str, expected: str) -> None:
    head = "if x:\n" if line.startswith(" ") else "y\n"
    assert lines(f"{head}{line}")[1] == expected


def test_timed_statements_go_on_behind_a_backslash() -> None:
    assert lines("%time x = f(1, \\\n  2)\n!ls") == ["0;    x = f(1, \\", "  2)", UNKNOWN]


@pytest.mark.parametrize(
    "code",
    [
        "x = '''\n!ls\n%cd\nx?\n'''",
        'x = f"""\n!ls""" + \'"""\'\nf(\n  a\n  %b,\n  # (\n  ")")',
        "x = (a\n%b)",
        "x = a \\\n  %b",
        "s = 'a = %s' % x\nd['= %s'] = '!'",
        "print('x = %d'\n      % x)  # = !ls",
        "await f()\nasync for x in y:\n    pass",
        "return 1",
        "x = 'it\\\ns'",
    ],
)
def test_what_python_understands_is_no_escape(code: str) -> None:
    assert lines(f"{code}\n!ls\n{code}") == [*code.split("\n"), UNKNOWN, *code.split("\n")]


@pytest.mark.parametrize("magic", ["time", "timeit", "capture out", "prun -q", "capture\n%%time"])
@pytest.mark.parametrize("above", ["", "\n", "# a comment\n", "\n  # one\n\n"])
def test_cell_magics_that_run_their_body(magic: str, above: str) -> None:
    made = lines(f"{above}%%{magic}\nx = 1\n!ls")
    assert made[-2:] == ["x = 1", UNKNOWN]
    assert not any(line.strip("# aconmet") for line in made[:-2])


@pytest.mark.parametrize("magic", ["bash", "sh -e", "html", "writefile x.py", "! ls", "cython -a"])
def test_cell_magics_of_other_languages_say_nothing(magic: str) -> None:
    assert lines(f"%%{magic}\nx = (\n") == ["", "", ""]


def test_prompts_and_indentation_are_no_code() -> None:
    reading = read(">>> x = [\n...     1]\n>>> f(x)\n[1]\n>>>\n>>> !ls")
    assert reading.lines == ["x = [", "    1]", "f(x)", "", "", UNKNOWN]
    assert reading.prefixes == [">>> ", "... ", ">>> ", "", ">>>", ">>> "]
    # A console shows what every line gives.
    assert reading.text.split("\n")[2] == "f(x),"
    assert lines("\n    x = 1\n    if x:\n        !ls\ny = 2") == [
        *("", "x = 1", "if x:"),
        *(f"    {UNKNOWN}", "y = 2"),
    ]


def test_the_last_call_is_kept() -> None:
    for code, text in (
        ("f(x)", "f(x),"),
        ("f(x);", "f(x);"),
        ("f(x) # c", "f(x),# c"),
        ("'é'.f(x)\n", "'é'.f(x),\n"),
        ("f(x)\ny", "f(x)\ny"),
        ("%time f(x)", "0,    f(x)"),
    ):
        assert read(code).text == text


PIECES = st.sampled_from(
    [
        *("x = a + b(1)", "%time y = f(x)", "%timeit -n 1 f(x, 'é')", "é = 'é'; z = x % y"),
        *("if x:\n    y = !ls\n    %time g(y)\nelse:\n    !ls", "t = '''\n!ls {x}\n'''; x = y"),
        *("!ls \\\n  x", "x?", "%cd ..", "f(x\n  # it's\n  %y)", "w = {x:\n y}", "# x", ""),
        *(
            "d['k'] = %run x",
            "with x as y: f(y)",
            "def g(x, *, y=2):\n\treturn x",
            "b'\\n' \\\n% x",
        ),
    ]
)


@given(st.lists(PIECES, min_size=1), st.sampled_from(["", "%%time\n", "# c\n%%capture x\n"]))
def test_columns_are_those_of_the_cell(pieces: list[str], head: str) -> None:
    source = head + "\n".join(pieces)
    reading = read(source)
    assert reading.refusal is None
    rows = source.split("\n")
    assert len(reading.lines) == len(rows)
    for node in ast.walk(ast.parse(reading.text)):
        if isinstance(node, ast.Name) and node.id != "get_ipython":
            row = rows[node.lineno - 1].encode()
            assert row[node.col_offset : node.end_col_offset].decode() == node.id
