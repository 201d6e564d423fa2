"""`devlint run`: what could not be seen is said, and is no success."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click
import pytest

from devlint.confirm.dry_run.python_command import python_in
from devlint.confirm.dry_run.report.gaps import is_running
from tests.confirm.runs import Run, found

pytest.importorskip("torch")
pytestmark = pytest.mark.skipif(os.name != "posix", reason="Windows starts processes otherwise")

#: Of a run without device events of which something was not seen.
INCOMPLETE = 3
EVENT = "import torch; torch.ones(2, device='cuda') + torch.ones(2)"


def _starts(*arguments: str, **options: object) -> str:
    """A program that starts Python so, and asks for nothing that comes of it."""
    given = "".join(f", {name}={value!r}" for name, value in options.items())
    return f"import subprocess, sys\nsubprocess.run([sys.executable, *{arguments}]{given})\n"


#: As a full disk leaves it.
HALF_TOLD = """
import os
with open(os.environ["DEVLINT_DRY_RUN"] + "/journal.jsonl", "a") as journal:
    journal.write('["ran", {"path": "/a\\n["ran", {}, 1]\\n')
"""
SLEEPS = "import time; time.sleep(600)"
GAPS = {
    _starts("-S", "-c", EVENT): "1 Python process not watched: ",
    _starts("-I", "-c", EVENT): "1 Python process not watched: ",
    _starts("-E", "-c", EVENT): "1 Python process not watched: ",
    _starts("-c", EVENT, env={}): "1 Python process not watched: ",
    "import os, sys\nos.system(f'cd . && {sys.executable} -S -c 1')\n": "1 Python process not ",
    "import os, sys\nos.execve(sys.executable, ['python', '-c', '1'], {})\n": "1 Python process",
    "import os\nif os.fork(): os.wait()\nelse: os.abort()\n": "1 process ended without a word",
    _starts("-c", "import os; os.kill(os.getpid(), 9)"): "1 process ended without a word",
    _starts("-c", "import os; os.abort()"): "1 process ended without a word",
    HALF_TOLD: "2 lines of the journal that cannot be read",
    _starts("-c", "import ctypes; ctypes.string_at(0)"): "1 process ended without a word",
    _starts("-c", "import nothing"): "1 process ended with an exit code other than 0",
    _starts("-c", "import sys; sys.exit(3)"): "(3)",
    _starts("-c", "import os; os._exit(4)"): "(4)",
}


@pytest.mark.parametrize("program", GAPS)
def test_what_is_not_seen_is_said(run: Run, program: str) -> None:
    Path("program.py").write_text(program)
    status, _, err = run("program.py")
    assert status == INCOMPLETE, err
    assert "warning: incomplete: " in err
    assert GAPS[program] in err
    assert "No device problems found" not in err


def test_a_child_that_outlives_the_program_is_said(run: Run) -> None:
    Path("program.py").write_text(
        f"import subprocess, sys\np = subprocess.Popen([sys.executable, '-c', {SLEEPS!r}])\n"
        "open('pid', 'w').write(str(p.pid))\n"
    )
    status, _, err = run("program.py")
    os.kill(int(Path("pid").read_text()), 9)
    assert status == INCOMPLETE
    assert "1 process still running when the program had ended: -c 'import time" in err


def test_a_child_ends_with_a_program_whose_time_is_up(run: Run) -> None:
    tells = f"import os; open('pid', 'w').write(str(os.getpid())); {SLEEPS}"
    Path("program.py").write_text(_starts("-c", tells))
    status, _, err = run("--time-limit", "3", "program.py")
    assert (status, "incomplete" in err) == (124, False)
    assert not is_running(int(Path("pid").read_text()))


NO_GAPS = (
    "import subprocess\nsubprocess.run(['true'])\nsubprocess.run('exit 5', shell=True)\n",
    "import subprocess, sys\nsubprocess.run([sys.executable, '--version'])\n",
    "import os\nif os.fork(): os.wait()\nelse: os._exit(0)\n",
    "import os\nos.spawnlp(os.P_WAIT, 'true', 'true')\n",
    "import subprocess\ntry: subprocess.run(['./python'])\nexcept OSError: pass\n",
    "import multiprocessing as m\nif __name__ == '__main__':\n"
    "    with m.get_context('spawn').Pool(1) as pool: print(pool.map(abs, [-1]))\n",
    "import subprocess, sys\nfor _ in range(30): subprocess.Popen([sys.executable, '-c', '1'])\n",
)


@pytest.mark.parametrize("program", NO_GAPS)
def test_what_no_device_is_in_is_no_gap(run: Run, program: str) -> None:
    Path("program.py").write_text(program)
    status, _, err = run("program.py")
    assert status == 0, err
    assert "incomplete" not in err


CHILD = """\
import sitecustomize, sys
print(sitecustomize.OWN, "torch" in sys.modules, any("devlint" in each for each in sys.path[:2]))
"""


def test_a_child_finds_python_as_it_is_without_devlint(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("own").mkdir()
    Path("own/sitecustomize.py").write_text("OWN = 'own'\n")
    monkeypatch.setenv("PYTHONPATH", str(Path("own").resolve()))
    Path("child.py").write_text(CHILD)
    Path("program.py").write_text(_starts("child.py"))
    assert run("program.py")[:2] == (0, "own False False\n")


CRASHES = {
    "exec('def broken(:')\n": "SyntaxError",
    "if True:\n    import nothing\n": "No module named 'nothing'",
    "1 / 0\n": "ZeroDivisionError",
    "import ctypes\nctypes.string_at(0)\n": "was ended by SIGSEGV",
    "import os\nos.abort()\n": "was ended by SIGABRT",
    "import os\nos._exit(0)\n": "left at once with exit code 0",
    "import os\nos.execv('/bin/true', ['true'])\n": "left at once with exit code 0",
    "raise SystemExit(5)\n": "ended with exit code 5",
}


@pytest.mark.parametrize("program", CRASHES)
def test_a_program_that_crashes_has_not_shown_that_there_are_no_problems(
    run: Run, program: str
) -> None:
    Path("program.py").write_text(program)
    status, _, err = run("program.py")
    assert status != 0
    assert CRASHES[program] in err
    assert "No device problems seen in what ran of 1 file." in err
    assert "No device problems found" not in err


def test_a_run_that_was_not_seen_as_a_whole_refutes_nothing(run: Run) -> None:
    Path("program.py").write_text(
        "import sys, torch\n\ndef f(device):\n"
        "    model = torch.nn.Linear(2, 2).to(device)\n    model.head = torch.nn.Linear(2, 2)\n"
        "    return model.head(torch.ones(2, 2, device=device))\n\n"
        "f('cuda' if len(sys.argv) > 9 else 'cpu')\n" + _starts("-S", "-c", "1")
    )
    status, [finding] = found(run, "program.py")
    assert (status, finding["evidence"]["verdict"]) == (INCOMPLETE, "inconclusive")


OPAQUE = {
    "graph = torch.cuda.CUDAGraph()\nwith torch.cuda.graph(graph): torch.ones(2)\n"
    "graph.replay()\n": "1 replayed graph of CUDA",
    "class Wrapper(torch.Tensor):\n    __torch_dispatch__ = None\n"
    "torch.Tensor._make_wrapper_subclass(Wrapper, (2,))\n": "1 wrapper subclass of tensors",
}


@pytest.mark.parametrize("program", OPAQUE)
def test_what_devlint_does_not_see_into_is_said(run: Run, program: str) -> None:
    Path("program.py").write_text(f"import torch\n{program}")
    status, _, err = run("program.py")
    assert status == INCOMPLETE, err
    assert "warning: incomplete: 1 " in err
    assert OPAQUE[program] in err


#: PyTorch does not tell what runs for an operator that is put into a library by its name.
OPERATOR = """import torch

own = torch.library.Library("own", "DEF")
own.define("double(Tensor x) -> Tensor")
own.impl("double", lambda x: x * 2, "CPU")
torch.ops.own.double(torch.ones(2))
own.define("version() -> int")
own.impl("version", lambda: 3, "CompositeExplicitAutograd")
torch.ops.own.version()
"""


def test_operators_of_other_libraries_are_named_and_no_gap(run: Run) -> None:
    Path("program.py").write_text(OPERATOR)
    status, _, err = run("program.py")
    assert status == 0, err
    assert "note: not seen inside 1 operator of another library: own::double" in err


FULL = """import torch

torch.empty(1 << 18, device="cuda")
kept = torch.ones(1 << 19, device="cuda")
"""


def test_memory_has_the_end_that_it_is_given(run: Run) -> None:
    Path("program.py").write_text(FULL)
    assert run("--memory", "2MiB", "program.py")[0] == 0
    status, _, err = run("--memory", "1.5 MiB", "program.py")
    assert status == 1
    assert "OutOfMemoryError: CUDA out of memory" in err


def test_an_amount_of_memory_has_a_unit_that_is_known(run: Run) -> None:
    with pytest.raises(click.BadParameter, match="'24 gallons' is no amount of memory"):
        run("--memory", "24 gallons", "program.py")


@pytest.mark.parametrize(
    ("command", "where"),
    [
        ([sys.executable, "x.py"], "itself"),
        (["/usr/bin/python3.13t", "x.py"], "itself"),
        (["python", "-V"], "no"),
        (["git", "log", "python"], "no"),
        (["sh", "-c", "cd x; A=1 python x.py > log"], "within"),
        (["bash", "-c", "echo python && python --version"], "no"),
        (["sh", "-c", "echo 'a quotation\nthat goes on'; python x.py"], "no"),
        (["env", "A=1", "python", "x.py"], "within"),
        (["sh", "-c", "exec nice -n 1 python3 x.py"], "within"),
        (["mpirun", "-n", "2", "python", "x.py"], "within"),
        (["sh", "run.sh"], "no"),
    ],
)
def test_commands_of_python_are_known(command: list[str], where: str) -> None:
    assert python_in(command) == where


def test_a_script_of_python_is_known_by_its_first_line(tmp_path: Path) -> None:
    launcher = tmp_path / "launch"
    launcher.write_text(f"#!{sys.executable}\n")
    assert python_in([str(launcher), "x.py"]) == "itself"
