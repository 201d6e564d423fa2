"""`devlint run`: what is told before a program begins."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from devlint.cli import main
from tests.confirm.runs import Run

pytest.importorskip("torch")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--bogus", "a.py"], "devlint run has no option --bogus; options of your program go"),
        (["--max-step", "2", "a.py"], "no option --max-step: --max-steps?; options of your"),
    ],
)
def test_an_option_that_there_is_not(words: list[str], told: str) -> None:
    done = CliRunner().invoke(main, ["run", *words])
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert told in done.stderr


@pytest.mark.parametrize(
    ("program", "told"),
    [
        (["a.py"], "a.py: no such file"),
        (["-m", "nosuch"], "-m nosuch: no such module, neither in this folder nor installed"),
        (["-m", "package.no"], "-m package.no: no such module, neither in this folder nor inst"),
        (["-m", "package"], "-m package: a package without __main__.py: name one of its modules"),
        (["-m", "package/a.py"], "-m package/a.py: this is a file, not the name of a module"),
        (["package"], "package: a folder without __main__.py: name one of its files"),
    ],
)
def test_a_program_that_is_not_there(run: Run, program: list[str], told: str) -> None:
    Path("package").mkdir()
    Path("package/__init__.py").write_text("raise SystemExit('nobody asked for it')")
    status, out, err = run(*program)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"error: {told}")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("import torch\nprint(')'\n", "train.py:2: Python cannot read this: '(' was never closed"),
        ("print('a\\d')\nreturn\n", "train.py:2: Python cannot read this: 'return' outside funct"),
        ("print(1)\0\n", "train.py"),
        ("# coding: klingon\n", "train.py:1: Python cannot read this: unknown encoding: klingon"),
    ],
)
def test_a_program_that_is_no_python(run: Run, text: str, told: str) -> None:
    Path("train.py").write_text(text)
    for program in (["train.py"], ["-m", "train"]):
        status, out, err = run(*program)
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert err.startswith(f"error: {told}")


def test_a_notebook_that_is_no_python_is_told_with_its_cell(run: Run) -> None:
    _write_notebook("import torch", "# Tuning\nx = (")
    told = "cell 2 is left out: '(' was never closed, line 2; a run needs every cell"
    assert run("n.ipynb") == (2, "", f"error: n.ipynb: {told}\n")


def _write_notebook(*sources: str) -> None:
    cells: list[dict[str, object]] = [
        {"cell_type": "code", "metadata": {}, "source": source} for source in sources
    ]
    Path("n.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}))


def test_imports_that_are_not_installed_are_told_with_their_lines(run: Run) -> None:
    Path("train.py").write_text(
        "import os, torch\nimport no_peft.tuners\nfrom no_hydra import main\nimport helper\n"
        "raise SystemExit('it ran')\n"
    )
    Path("helper.py").write_text("import no_matter\n")
    assert run("train.py") == (
        2,
        "",
        "error: train.py:2 imports `no_peft`, which is not installed here\n"
        "error: train.py:3 imports `no_hydra`, which is not installed here\n",
    )


def test_an_import_of_a_notebook_is_told_with_its_cell(run: Run) -> None:
    _write_notebook("import torch", "# Tuning\nimport no_peft")
    told = "error: n.ipynb:cell 2:2 imports `no_peft`, which is not installed here\n"
    assert run("n.ipynb") == (2, "", told)


def test_imports_of_a_module_are_looked_for_in_the_working_directory(run: Run) -> None:
    Path("package").mkdir()
    Path("beside.py").write_text("")
    Path("package/train.py").write_text("import beside\nimport within\n")
    Path("package/within.py").write_text("")
    told = "error: package/train.py:2 imports `within`, which is not installed here\n"
    assert run("-m", "package.train") == (2, "", told)


@pytest.mark.parametrize(
    "text",
    [
        "try:\n    import no_peft\nexcept ImportError:\n    no_peft = None",
        "import sys\nif 'tune' in sys.argv:\n    import no_peft",
        "def tune():\n    import no_peft",
        "import sys\nsys.path.append('lib')\nimport helped",
        "import paths\nimport helped",
    ],
)
def test_a_program_that_may_do_without_runs(run: Run, text: str) -> None:
    Path("lib").mkdir()
    Path("lib/helped.py").write_text("")
    Path("paths.py").write_text("import sys\nsys.path.insert(0, 'lib')\n")
    Path("train.py").write_text(f"{text}\nprint('it ran')\n")
    status, out, _ = run("train.py")
    assert (status, out) == (0, "it ran\n")


STEPS = """\
import torch
weight = torch.nn.Parameter(torch.ones(2, device="cuda"))
optimizer = torch.optim.SGD([weight], lr=0.1)
while True:
    weight.grad = torch.ones(2, device="cuda")
    optimizer.step()
"""


@pytest.mark.parametrize(
    ("options", "how"),
    [
        ([], "on emulated CUDA (1 device, on the CPU); what it writes is written."),
        (["--sandbox", "--devices", "2"], "on emulated CUDA (2 devices, on the CPU); in a copy"),
    ],
)
def test_it_says_that_it_runs_the_program(run: Run, options: list[str], how: str) -> None:
    Path("train.py").write_text("import sys; print('mine', file=sys.stderr)")
    _, _, err = run(*options, "train.py")
    first, second, *_ = err.splitlines()
    assert first.startswith(f"devlint runs your program train.py {how}")
    assert second == "mine"
    assert "importing torch" not in err


def test_steps_are_told_to_nobody_who_does_not_look(run: Run) -> None:
    Path("train.py").write_text(STEPS)
    status, _, err = run("--max-steps", "2", "train.py")
    assert (status, "step 1 of 2" in err) == (0, False)


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
def test_a_terminal_is_told_how_far_a_run_has_got(tmp_path: Path) -> None:
    import pty

    (tmp_path / "train.py").write_text(STEPS)
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "devlint", "run", "--max-steps", "2", "train.py"]
    environment = {**os.environ, "TERM": "xterm"}
    subprocess.run(command, cwd=tmp_path, stderr=follower, env=environment, check=True)
    os.write(follower, b"end")
    said = b""
    while not said.endswith(b"end"):  # What a terminal gets comes in pieces.
        said += os.read(leader, 1_000)
    shown = ("importing torch..", "\r\x1b[K", "devlint: step 1 of 2", "devlint: step 2 of 2")
    rest = said.decode()  # Linting may be told of before, and cleared, too.
    for words in shown:
        before, found, rest = rest.partition(words)
        assert found, f"{words!r} is not behind {before!r}"
