"""`devlint run`: programs, folders, modules and notebooks, as Python runs them."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from devlint.confirm.dry_run.preparation.watched_files import watched_paths
from tests.confirm.runs import CAUGHT, Run, found

pytest.importorskip("torch")


def test_standard_input_is_the_programs(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("print(input().upper())")
    command = [sys.executable, "-m", "devlint", "run", "program.py"]
    done = subprocess.run(command, cwd=tmp_path, input="hello\n", capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "HELLO\n")


def test_modules_and_several_devices(run: Run) -> None:
    Path("package").mkdir()
    Path("package/__main__.py").write_text(
        "import torch\nprint(torch.ones(2, device='cuda:1') + torch.ones(2, device=0))\n"
    )
    status, _, err = run("--devices", "2", "-m", "package")
    assert status == 1
    assert "package/__main__.py:2:7: DEV201 error" in err
    assert "cuda:1 and cuda:0!" in err


NOTEBOOK = (
    "%matplotlib inline\nimport torch",
    "!pip install nothing\nmodel = torch.nn.Linear(2, 2).cuda()\ndisplay(model.weight.device)",
    "x = torch.ones(1, 2)\n\ny = model(x)",
    "def f():\n    return 1 / 0\n\nf()",
)


def test_a_notebook_is_told_by_its_cells(run: Run) -> None:
    cells = [{"cell_type": "code", "metadata": {}, "source": source} for source in NOTEBOOK]
    Path("n.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}))
    status, out, err = run("--keep-going", "n.ipynb")
    assert (status, out) == (1, "cuda:0\n")
    assert "DEV910" not in err
    for made in ("`x`: made on the CPU here", "an operand of shape [1, 2] is on cpu since here"):
        assert f"= n.ipynb:cell 3:1:5: {made}\n" in err
    assert "n.ipynb:cell 3:3:11: DEV202 error" in err
    assert "1 finding of the linter: 1 confirmed." in err
    assert re.findall(r'n.ipynb, cell 4", line (\d), in (\S+)\n +(.+)', err) == [
        ("4", "<module>", "f()"),
        ("2", "f", "return 1 / 0"),
    ]


def test_a_notebook_runs_whatever_its_text_mentions(run: Run) -> None:
    cells = [{"cell_type": "code", "metadata": {}, "source": "print(6 * 7)"}]
    Path("n.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}))
    status, out, _ = run("n.ipynb")
    assert (status, out) == (0, "42\n")
    Path("n.ipynb").write_text('{"cells": [')
    status, _, err = run("n.ipynb")
    assert (status, err.count("\n")) == (2, 1)
    assert "n.ipynb: not a valid notebook: " in err


LATE = """\
import pickle, sys, threading, time
import helper
import torch

class Own:
    pass

def later():
    time.sleep(0.5)
    pickle.dumps(Own())
    print(sys.argv[1:], helper.__name__, flush=True)
    torch.ones(2) + torch.ones(2, device="cuda")

threading.Thread(target=later).start()
"""


@pytest.mark.parametrize("program", ["folder", "archive.zip"])
def test_a_folder_runs_as_python_runs_it(run: Run, program: str) -> None:
    Path("folder").mkdir()
    Path("folder/__main__.py").write_text(LATE)
    Path("folder/helper.py").write_text("import torch\n")
    shutil.make_archive("archive", "zip", "folder")
    status, out, err = run(program, "--lr", "1")
    assert (status, out) == (1, "['--lr', '1'] helper\n"), err
    assert "1 device event" in err
    assert watched_paths("folder", [], is_module=False) == [
        "folder/__main__.py",
        "folder/helper.py",
    ]


def test_what_is_beside_a_folder_is_not_on_its_path(run: Run) -> None:
    Path("folder").mkdir()
    Path("folder/__main__.py").write_text("if True:\n    import helper\n")
    Path("helper.py").write_text("")
    status, _, err = run("folder")
    assert (status, "No module named 'helper'" in err) == (1, True)


def test_files_elsewhere_have_one_name(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("program.py").write_text(CAUGHT + "x * torch.ones(2)")
    Path("folder").mkdir()
    monkeypatch.chdir("folder")
    _, items = found(run, "../program.py")
    assert {each["code"] for each in items} > {"DEV910"}
    assert {each["path"] for each in items} == {str(Path("../program.py").resolve())}


def test_modules_of_pythonpath_are_watched(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("src").mkdir()
    Path("src/ours.py").write_text("")
    Path("train.py").write_text("import ours\nimport pytest\n")
    assert watched_paths("train.py", [], is_module=False) == ["train.py"]
    monkeypatch.syspath_prepend("src")
    assert watched_paths("train.py", [], is_module=False) == ["train.py", "src/ours.py"]


def test_the_files_that_are_watched(run: Run) -> None:
    for name, text in {
        "train.py": "import package.model\nfrom helpers import load\nimport torch\n",
        "helpers.py": "import train\n",
        "other.py": "",
        "package/__init__.py": "",
        "package/model.py": "from . import layers\nfrom .. import nothing\n",
        "package/layers.py": "def broken(:\n",
    }.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text)
    reached = ["helpers.py", "package/__init__.py", "package/layers.py", "package/model.py"]
    assert sorted(watched_paths("train.py", [], is_module=False)) == [*reached, "train.py"]
    assert watched_paths("package.model", [], is_module=True)[0] == "package/__init__.py"
    assert watched_paths("pytest", ["-x", "package", "other.py::test"], is_module=True) == [
        "package",
        "other.py",
    ]
    assert watched_paths("pytest", ["-x"], is_module=True) == ["."]
