"""Scripts with `# %%` cells may have what only IPython understands."""

from __future__ import annotations

import pytest

from devlint.document.program import Program
from devlint.document.reader import document
from devlint.rule.registry import load_rules
from devlint.run.check import check
from devlint.run.fix import mended
from devlint.run.plan import Plan
from devlint.settings import Settings
from tests.test_fix import MixedSum

PLAN = Plan.of(Settings(), load_rules())
SETUP = "# %%\nimport torch\nweights = torch.ones(3, device='cuda')\n"
MIX = "# %%\nmask = torch.ones(3)\nx = weights + mask\n"
MOVE = "# %%\nimages = torch.rand(8)\nimages.to('cuda')\n"
USE = "# %%\nprint(images.mean())\n"


def found(*cells: str) -> list[tuple[str, int, int]]:
    findings = check("a.py", "".join(cells).encode(), PLAN.active, PLAN.audit).findings
    return [(each.code, each.span.line, each.span.column) for each in findings]


@pytest.mark.parametrize("marker", ["# %%", "#%%", "# %% A title", "# %% [code]", "#%%%"])
@pytest.mark.parametrize(
    "magic", ["%matplotlib inline", "!pip install x", "%%time", "%%bash\nls (", "x?", "if 1:\n !ls"]
)
def test_magics_are_passed_over(marker: str, magic: str) -> None:
    line = 6 + magic.count("\n") + 1
    head = f"{marker}\n{magic}\n"
    assert found(SETUP, head, MIX.replace("# %%", marker)) == [("DEV201", line + 1, 5)]


@pytest.mark.parametrize("title", ["[markdown]", "A title [md]", "[raw]", "[markdown] key=1"])
def test_text_is_passed_over(title: str) -> None:
    assert found(SETUP, f"# %% {title}\nNo (Python.\n", MIX) == [("DEV201", 8, 5)]


def test_the_last_call_of_a_cell_is_shown() -> None:
    assert found(SETUP, MOVE, USE) == []
    assert found(SETUP, MOVE) == []
    assert found(SETUP, MOVE.replace("')", "');"), USE) == [("DEV204", 6, 1)]
    assert found(SETUP, MOVE, USE.replace("# %%", "# %%time")) == [("DEV204", 6, 1)]
    assert found(SETUP, f"{MOVE}%cd ..\n", USE) == [("DEV204", 6, 1)]
    assert found(SETUP, "if x:\n", MOVE.replace("\n", "\n  "), "\n", USE) == [("DEV204", 7, 3)]


def test_a_broken_script_is_broken_unless_it_is_for_ipython_anyway() -> None:
    assert found(SETUP, "# %%\nx y\n", MIX) == [("DEV902", 5, 3)]
    assert found(SETUP, "# %%\nx y\n", "# %%\n%cd ..\n", MIX) == [
        *(("DEV903", 5, 3), ("DEV201", 10, 5)),
    ]


@pytest.mark.parametrize("text", ["import torch\nx = 1 %%2\n", f"{SETUP}f(x)\ny = 1\n"])
def test_other_scripts_are_read_as_they_are(text: str) -> None:
    (program,) = document("a.py", text.encode()).programs
    assert type(program) is Program
    assert program.text == text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("magic", ["%cd ..\n", "f(x)\n"])
def test_fixes_leave_the_rest_as_it_is(encoding: str, newline: str, magic: str) -> None:
    cookie = "# coding: latin-1\n" if encoding == "latin-1" else ""
    text = f"{cookie}{SETUP}größe = 'ü'\n# %%\n{magic}{MIX}\x0c\n"
    plan = Plan.of_rules([MixedSum()])
    data = text.replace("\n", newline).encode(encoding)
    file = mended("a.py", data, check("a.py", data, plan.active).findings, plan)
    wanted = text.replace("+ mask", "+ mask.to(weights.device)").replace("\n", newline)
    assert file.after == wanted.encode(encoding)
