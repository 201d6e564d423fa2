"""Blocks of Python in Markdown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from devlint.cli import main
from devlint.rule.registry import load_rules
from devlint.run.check import check
from devlint.run.fix import mended
from devlint.run.plan import Plan
from devlint.settings import Settings
from tests.test_fix import MixedSum

PLAN = Plan.of(Settings(), load_rules())
SETUP = "import torch\nweights = torch.ones(3, device='cuda')"
MIX = "mask = torch.ones(3)\nx = weights + mask"


def found(text: str) -> list[tuple[str, int, int]]:
    findings = check("a.md", text.encode(), PLAN.active, PLAN.audit).findings
    return [(each.code, each.span.line, each.span.column) for each in findings]


def block(code: str, info: str = "python", fence: str = "```", prefix: str = "") -> str:
    return "".join(f"{prefix}{line}\n" for line in [f"{fence}{info}", *code.split("\n"), fence])


@pytest.mark.parametrize(
    "info",
    [
        *("python", "py", "python3", "Python", "py3", "ipython", "ipython3", "pycon", " python "),
        *('python title="a.py"', "{python}", "{python, eval=FALSE}", "{.python .numberLines}"),
        *("{ .python }", "{code-cell} ipython3", "{code-block} python", "python{1,3}", "py:a.py"),
    ],
)
def test_blocks_of_python_are_read(info: str) -> None:
    assert found(block(f"{SETUP}\n{MIX}", info)) == [("DEV201", 5, 5)]


@pytest.mark.parametrize(
    "info", ["", "text", "pytb", "pypy", "bash", "{r}", "{bash}", "python-x", "c++", "not python"]
)
def test_other_blocks_are_not(info: str) -> None:
    assert found(block(f"{SETUP}\n{MIX}", info)) == []


@pytest.mark.parametrize("fence", ["```", "~~~", "````", "~~~~~"])
@pytest.mark.parametrize("prefix", ["", "   ", "      ", "\t", "> ", "> > ", "  > "])
def test_blocks_may_stand_in_lists_and_quotes(fence: str, prefix: str) -> None:
    code = block(f"{SETUP}\n\n{MIX}", fence=fence, prefix=prefix)
    text = f"# Title\n\n{code}text\n"
    assert found(text) == [("DEV201", 8, 5 + len(prefix))]


def test_blocks_may_start_with_the_mark_of_a_list() -> None:
    text = block(f"{SETUP}\n{MIX}", prefix="   ")
    assert found(f"1. {text[3:]}") == found(f"-  {text[3:]}") == [("DEV201", 5, 8)]


def test_a_block_that_shows_markdown_is_none_of_python() -> None:
    assert found(block(block(f"{SETUP}\n{MIX}"), "markdown", "````")) == []
    assert found(block(block(f"{SETUP}\n{MIX}", fence="~~~"), "")) == []
    assert found(f"```python x``` is code\n{SETUP}\n{MIX}\n") == []


def test_a_block_that_ends_with_its_quote_or_the_file() -> None:
    assert found(f"> ```python\n> import torch\n{SETUP}\n{MIX}\n") == []
    assert found(f"```python\n{SETUP}\n{MIX}") == [("DEV201", 5, 5)]


def test_blocks_go_on_with_the_program_of_the_last_import() -> None:
    assert found(f"{block(SETUP)}\ntext\n\n{block(MIX)}") == [("DEV201", 10, 5)]
    assert found(block(SETUP) + block(f"import torch\n{MIX}")) == []
    assert found(block(SETUP) + block(f"from torch import nn\n{MIX}")) == []


def test_fragments_are_passed_over_and_what_they_do_is_unknown() -> None:
    assert found(block(SETUP) + block("x = [...") + block(MIX)) == [("DEV201", 10, 5)]
    assert found(block(SETUP) + block("weights = f(...) ...") + block(MIX)) == []


def test_prompts_and_options_are_no_code() -> None:
    console = (
        ">>> mask = torch.ones(3)\n>>> weights.cpu()\ntensor([1.])\n>>> x = (weights\n...   + mask)"
    )
    assert found(block(f">>> {SETUP}".replace("\nw", "\n>>> w"), "py") + block(console)) == [
        ("DEV201", 9, 10)
    ]
    options = ":tags: [a-b]\n:linenos:\n"
    assert found(block(f"{options}{SETUP}\n{MIX}", "{code-cell}  python")) == [("DEV201", 7, 5)]


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("prefix", ["", "    ", "> ", "\t"])
def test_fixes_change_their_line_of_the_file(mark: str, newline: str, prefix: str) -> None:
    code = f"{SETUP}\n!ls\nx = (weights\n     + torch.ones(3))"
    text = f"{mark}# größe\n\n{block(code, prefix=prefix)}weights + torch.ones(3)"
    data = text.replace("\n", newline).encode()
    plan = Plan.of_rules([MixedSum()])
    file = mended("a.md", data, check("a.md", data, plan.active).findings, plan)
    wanted = text.replace("ones(3))", "ones(3).to(weights.device))").replace("\n", newline)
    assert file.after == wanted.encode()


def test_markdown_is_linted_when_it_is_included(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.md").write_text(block(f"{SETUP}\n{MIX}"))
    Path("b.py").write_text("")
    runner = CliRunner()
    assert runner.invoke(main, ["--isolated", "."]).exit_code == 0
    options = ["--isolated", ".", "--extend-include", "*.md", "--output-format", "json"]
    (item,) = json.loads(runner.invoke(main, options).stdout)
    assert (item["path"], item["cell"], item["line"]) == ("a.md", None, 5)
    Path("a.md").write_bytes(b"torch \xff")
    assert runner.invoke(main, options).exit_code == 2
