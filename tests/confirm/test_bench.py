"""Programs that crash, hang or end as they please, each in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from devlint.confirm.witnesses import judge
from devlint.confirm.witnesses.judge import BenchError, run
from devlint.confirm.witnesses.witness import Witness

torch: Any = pytest.importorskip("torch")

PASSES = "import torch\n"
#: Seconds; where processes are not forked each imports torch first.
LIMIT = 5.0 if sys.platform == "linux" else 60.0
ENDINGS = {
    "import os\nos.abort()\n": "ended by SIGABRT",
    "import os\nos._exit(0)\n": "exit code 0",
    "while True:\n    pass\n": f"no end within {LIMIT:g} s",
    "raise SystemExit(3)\n": "SystemExit: 3",
    "print('noise' * 100_000)\nundefined\n": "NameError: name 'undefined' is not defined",
    "import torch\ntorch.ones(2).cuda().numpy()\n": "TypeError: can't convert cuda:0 device type "
    "tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first.",
    "this is no Python\n": "SyntaxError: invalid syntax (<witness>, line 1)",
}


def witness(program: str, fixed: str = PASSES) -> Witness:
    return Witness("ACME001", "One", program, fixed, ("anything",))


def test_none_of_them_ends_the_run() -> None:
    told = run(map(witness, ENDINGS), "emulated", LIMIT)
    assert told.errors == {**ENDINGS, PASSES: None}
    assert (told.cuda, told.torch) == (None, torch.__version__)


def test_a_package_that_is_not_installed_is_named() -> None:
    needy = witness("import no_such_package.part\n1 / 0\n", "import no_such_package.part\n")
    evidence = run([needy], "emulated", LIMIT).evidence(needy)
    assert evidence.verdict == "needs a package"
    assert evidence.summary == "needs no_such_package, which is not installed"
    where = f"(emulated CUDA, torch {torch.__version__})"
    assert str(evidence) == f"needs no_such_package, which is not installed {where}"


@pytest.mark.parametrize(
    ("error", "package"),
    [
        ("ModuleNotFoundError: No module named 'onnx'", "onnx"),
        ("RuntimeError: Numpy is not available", "numpy"),
        ("RuntimeError: PyTorch was compiled without NumPy support", None),
    ],
)
def test_what_torch_says_of_a_package_that_it_lacks(error: str, package: str | None) -> None:
    assert judge.missing_package(error) == package


def test_programs_run_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "random.py").write_text("raise SystemExit('the user\\'s own code')\n")
    (tmp_path / "torch.py").write_text("raise SystemExit('the user\\'s own code')\n")
    monkeypatch.chdir(tmp_path)
    program = "import random, tempfile, torch\nopen(tempfile.mkstemp()[1], 'w').write('x')\n"
    where = "import os, tempfile\nraise ValueError(tempfile.mkdtemp())\n"
    told = run([witness(program, where)], "emulated", 60)
    assert told.errors[program] is None
    folder = str(told.errors[where]).removeprefix("ValueError: ")
    assert folder.startswith("/")
    assert not Path(folder).parent.exists()


def test_no_program_meets_the_files_of_another() -> None:
    program = "open('model.pt', 'x')  # {}\n"
    pair = witness(program.format("buggy"), program.format("fixed"))
    assert {*run([pair], "emulated", LIMIT).errors.values()} == {None}


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is CUDA here")
def test_cuda_that_is_not_there() -> None:
    with pytest.raises(BenchError, match="--device cuda: this machine has no CUDA"):
        run([witness(PASSES)], "cuda", 60)
    assert run([], "auto", 60).on == "emulated CUDA"


def test_a_torch_that_cannot_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = subprocess.CompletedProcess([], 1, "", "Traceback\nImportError: libc10 is missing\n")
    monkeypatch.setattr(subprocess, "run", lambda *arguments, **options: broken)
    with pytest.raises(BenchError, match="cannot be run: ImportError: libc10 is missing"):
        judge.run([], "auto", 60)


def test_a_torch_that_cannot_be_replaced(broken: str) -> None:
    with pytest.raises(BenchError) as refused:
        run([witness(PASSES)], "emulated", 60)
    assert str(refused.value) == f"witnesses cannot be run: {broken}"


def test_this_process_does_not_import_torch() -> None:
    program = (
        "import sys, devlint.confirm.witnesses.judge as b\n"
        "b.run([], 'emulated', 60)\n"
        "raise SystemExit('torch' in sys.modules)\n"
    )
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0
