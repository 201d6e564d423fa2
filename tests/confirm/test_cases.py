"""The cases of `testdata/confirm`, on emulated CUDA."""

from __future__ import annotations

import linecache
from pathlib import Path
from traceback import extract_tb
from typing import Any

import pytest

from .cases import Case, cases

torch: Any = pytest.importorskip("torch")

from devlint.confirm.device_tags.cuda_messages import is_of_devices  # noqa: E402
from devlint.confirm.device_tags.device_event import DeviceEvent  # noqa: E402
from devlint.confirm.emulation.emulate import emulated_cuda  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")  # Deprecations are not the cases' subject.

CASES = list(cases())
FILE = "case.py"


@pytest.fixture(autouse=True)
def torch_as_it_was() -> Any:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
    torch.set_default_device(None)
    torch.__future__.set_swap_module_params_on_conversion(False)
    torch.__future__.set_overwrite_module_params_on_conversion(False)


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_case(case: Case, tmp_path: Any, monkeypatch: Any) -> None:
    if "numpy" in case.program:
        pytest.importorskip("numpy", reason="the program of this case uses NumPy")
    monkeypatch.chdir(tmp_path)
    line, words, is_silent, events = run(case)
    assert (line, is_silent) == (case.crash, case.is_silent), words
    assert case.words in words
    assert all(is_of_devices(event.message) for event in events)
    born = {birth[1] for event in events for each in event.operands for birth in each.birth}
    assert set(case.births) <= born


def run(case: Case) -> tuple[int, str, bool, list[DeviceEvent]]:
    """The line that crashed (0: none), its message, whether an assertion failed, the events."""
    Path(FILE).write_text(case.program)  # TorchScript reads the source.
    linecache.checkcache()
    names = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional, "__name__": "case"}
    with emulated_cuda(devices=case.devices) as record:
        try:
            exec(compile(case.program, FILE, "exec"), names)
        except Exception as error:
            frames = [each for each in extract_tb(error.__traceback__) if each.filename == FILE]
            line = (frames[-1].lineno or 0) if frames else 0
            return line, str(error), isinstance(error, AssertionError), record.events
    assert record.events == []
    return 0, "", False, []
