"""`devlint.testing.emulated_cuda`: emulated CUDA for a part of a test."""

from __future__ import annotations

import importlib
import sys
import threading
import unittest
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

torch: Any = pytest.importorskip("torch")

from devlint.confirm.device_tags.device_event import DeviceError  # noqa: E402
from devlint.confirm.emulation.torch_requirement import EmulationError  # noqa: E402
from devlint.testing import emulated_cuda  # noqa: E402

#: Asks for CUDA in the ways in which a module may know the functions of torch.
LIBRARY = """
import torch
from torch import device, ones
from torch.cuda import device_count, is_available

ON = "cuda" if is_available() else "cpu"

def answers():
    return is_available(), device_count(), isinstance(torch.device("cpu"), device)

def make():
    return ones(2, device="cuda")
"""


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name of a module that nobody has imported."""
    name = f"library_of_{tmp_path.name}"
    (tmp_path / f"{name}.py").write_text(LIBRARY)
    monkeypatch.syspath_prepend(tmp_path)
    yield name
    sys.modules.pop(name, None)


def test_cuda_is_there_in_the_block_and_nowhere_else() -> None:
    with emulated_cuda(devices=2) as events:
        assert (torch.cuda.is_available(), torch.cuda.device_count()) == (True, 2)
        assert str(torch.nn.Linear(2, 2).to("cuda:1").weight.device) == "cuda:1"
        with pytest.raises(RuntimeError, match="two devices, cuda:0 and cpu!"):
            torch.ones(2, device="cuda") + torch.ones(2)
        assert len(events) == 1
    assert (torch.cuda.is_available(), torch.cuda.device_count()) == (False, 0)
    # Which of the two depends on whether this process has traced a graph on CUDA: PyTorch asks
    # for CUDA once, notes that it was there, and has no function that takes the note back.
    with pytest.raises((AssertionError, RuntimeError), match=r"CUDA|NVIDIA driver"):
        torch.ones(2, device="cuda")


def test_a_block_that_keeps_going_keeps_all_events() -> None:
    with emulated_cuda(keep_going=True) as events:
        torch.ones(2, device="cuda") + torch.ones(2)
        torch.ones(3, device="cuda") + torch.ones(3)
    assert [event.stack[0][2] for event in events] == [
        "test_a_block_that_keeps_going_keeps_all_events"
    ] * 2


def test_memory_has_the_end_that_is_asked_for() -> None:
    with emulated_cuda(memory=1 << 20), pytest.raises(torch.OutOfMemoryError):
        torch.ones(1 << 20, device="cuda")


@emulated_cuda(devices=3)
def test_it_decorates_functions() -> None:
    assert torch.cuda.device_count() == 3


class TestItDecoratesMethods(unittest.TestCase):
    @emulated_cuda()
    def test_it(self) -> None:
        assert torch.ones(2, device="cuda").is_cuda


def test_modules_that_took_functions_by_name_see_it_too(library: str) -> None:
    module = importlib.import_module(library)
    with emulated_cuda(devices=2):
        assert module.answers() == (True, 2, True)
        assert module.make().is_cuda
    assert module.answers() == (False, 0, True)


def test_modules_that_the_block_imports_keep_nothing_but_their_own_answers(library: str) -> None:
    with emulated_cuda():
        module = importlib.import_module(library)
        assert module.answers() == (True, 1, True)
    assert module.answers() == (False, 0, True)
    assert module.device is torch.device
    assert module.ON == "cuda"


def test_functions_that_wrap_others_of_torch_are_put_back_once(library: str) -> None:
    """One function may be replaced twice, by two parts of the emulation."""
    module = importlib.import_module(library)
    before = dict(vars(module))
    with emulated_cuda():
        pass
    assert {name for name, value in vars(module).items() if value is not before[name]} == set()


@pytest.mark.parametrize("before", [None, "cpu", "meta"])
def test_the_default_device_is_as_before_afterwards(before: str | None) -> None:
    torch.set_default_device(before)
    try:
        with emulated_cuda():
            torch.set_default_device("cuda")
            assert torch.ones(2).is_cuda
        assert torch.ones(2).device.type == (before or "cpu")
    finally:
        torch.set_default_device(None)


def test_a_default_type_on_cuda_ends_with_the_block() -> None:
    with emulated_cuda():
        torch.set_default_tensor_type("torch.cuda.FloatTensor")
        assert torch.ones(2).is_cuda
    assert torch.ones(2).device.type == "cpu"


def test_tensors_that_outlive_the_block_are_on_the_cpu() -> None:
    with emulated_cuda():
        model = torch.nn.Linear(2, 2).cuda()
        loss = model(torch.ones(1, 2, device="cuda")).sum()
    loss.backward()
    assert (model.weight.grad + torch.ones(2)).device.type == "cpu"


def test_tensors_are_in_the_next_block_where_they_were() -> None:
    with emulated_cuda():
        x = torch.ones(2, device="cuda")
    with emulated_cuda(), pytest.raises(DeviceError):
        x + torch.ones(2)


def test_a_block_in_a_block_is_the_outer_one() -> None:
    with emulated_cuda(devices=2) as outer:
        with emulated_cuda() as inner, pytest.raises(DeviceError):
            torch.ones(2, device="cuda") + torch.ones(2)
        with emulated_cuda(devices=2) as later, pytest.raises(DeviceError):
            torch.ones(2, device="cuda") @ torch.ones(2)
        assert inner + later == outer
        assert torch.cuda.device_count() == 2


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"devices": 1}, "is emulated already: 2 devices"),
        ({"memory": 1 << 30}, "is emulated already: with other memory"),
        ({"keep_going": True}, "is emulated already: a device error ends what it happens in"),
    ],
)
def test_a_block_in_a_block_cannot_be_another(asked: dict[str, Any], words: str) -> None:
    with (
        emulated_cuda(devices=2),
        pytest.raises(EmulationError, match=f"^CUDA {words}$"),
        emulated_cuda(**asked),
    ):
        pass
    assert not torch.cuda.is_available()


def test_a_block_of_a_thread_that_was_there_before_is_refused() -> None:
    told: list[str] = []
    is_emulated = threading.Event()

    def enter() -> None:
        is_emulated.wait()
        try:
            with emulated_cuda():
                pass
        except EmulationError as error:
            told.append(str(error))

    thread = threading.Thread(target=enter)
    thread.start()
    with emulated_cuda():
        is_emulated.set()
        thread.join()
    assert told == ["CUDA is emulated already: for threads that start now, this one did before"]


def test_cuda_that_is_in_use_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "_initialized", True)
    with pytest.raises(EmulationError, match="CUDA is in use in this process"), emulated_cuda():
        pass
    assert not torch.cuda.is_available()


def test_cuda_that_is_there_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 8)
    with emulated_cuda():
        assert torch.cuda.device_count() == 1
    assert torch.cuda.device_count() == 8


@pytest.mark.parametrize("devices", [0, -1])
def test_there_is_at_least_one_device(devices: int) -> None:
    with pytest.raises(ValueError, match=f"{devices} is no number of devices"):
        emulated_cuda(devices=devices).__enter__()


def test_a_torch_that_is_too_old_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("devlint.confirm.emulation.torch_requirement.version", lambda name: "2.5.1")
    with pytest.raises(EmulationError, match=r"emulated_cuda\(\) needs torch >= 2.10"):
        emulated_cuda().__enter__()
