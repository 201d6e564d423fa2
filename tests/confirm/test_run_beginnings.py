"""`devlint run`: what is told before a program begins."""

from __future__ import annotations

import json
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
    cells: list[dict[str, object]] = [
        {"cell_type": "code", "metadata": {}, "source": source}
        for source in ("import torch", "# Tuning\nimport no_peft")
    ]
    Path("n.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}))
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
