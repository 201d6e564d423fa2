"""Tracebacks that Python code prints on emulated CUDA: devlint's own frames are not in them."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Any

import pytest

from tests.confirm.runs import Run

torch: Any = pytest.importorskip("torch")

from devlint.confirm.device_tags.device_event import DeviceError  # noqa: E402
from devlint.confirm.emulation.emulate import emulated_cuda  # noqa: E402
from devlint.confirm.emulation.faults import EmulationFaultError, tell  # noqa: E402

CRASHING = """\
import multiprocessing, sys
from concurrent.futures import ProcessPoolExecutor
import torch
import torch.multiprocessing

def work(*ignored):
    left = torch.ones(2)
    return (torch.ones(2, device="cuda") + left).tolist()

def started(method):
    process = multiprocessing.get_context(method).Process(target=work)
    process.start()
    process.join()

def pooled():
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        pool.submit(work).result()

if __name__ == "__main__":
    {does}
"""
WAYS = ["started('fork')", "started('spawn')", "pooled()", "torch.multiprocessing.spawn(work)"]


@pytest.mark.parametrize("does", WAYS)
def test_a_process_that_crashes_shows_the_users_frames(run: Run, does: str) -> None:
    Path("program.py").write_text(CRASHING.format(does=does))
    _, _, err = run("program.py")
    assert 'program.py", line 8, in work\n    return (torch.ones(2, device="cuda") + left)' in err
    assert "devlint/confirm" not in err.replace("\\", "/")


def test_causes_are_shown_without_our_frames() -> None:
    with emulated_cuda():
        try:
            try:
                torch.ones(2, device="cuda") + torch.ones(2)
            except RuntimeError as error:
                raise ValueError("no model") from error
        except ValueError:
            text = traceback.format_exc()
    assert "ValueError: no model" in text
    assert "\nRuntimeError: Expected all tensors" in text
    assert text.count("  File ") == text.count(f'  File "{__file__}"') == 2


def test_faults_of_devlint_keep_them() -> None:
    with emulated_cuda():
        try:
            tell(_fault(), "aten::add")
        except EmulationFaultError:
            text = traceback.format_exc()
    assert "faults.py" in text


def _fault() -> Exception:
    """One that code of devlint raised by mistake."""
    try:
        tell(None, "nothing")  # type: ignore[arg-type]
    except AttributeError as error:
        return error
    raise AssertionError


def test_afterwards_tracebacks_are_python_s_own() -> None:
    before = traceback.TracebackException.__init__
    with emulated_cuda(), pytest.raises(DeviceError) as refused:
        torch.ones(2, device="cuda") + torch.ones(2)
    assert traceback.TracebackException.__init__ is before
    assert "record.py" in "".join(traceback.format_exception(refused.value))
