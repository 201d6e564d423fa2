"""Emulated CUDA as a whole: what it records, what it leaves behind, what it covers."""

from __future__ import annotations

import gc
import json
import pickle
import subprocess
import sys
import traceback
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from typing import Any

import pytest

torch: Any = pytest.importorskip("torch")

from devlint.confirm.device_tags.device_event import (  # noqa: E402
    BufferExportError,
    DeviceError,
    DeviceEvent,
    ExportError,
    from_plain,
    plain,
)
from devlint.confirm.emulation.emulate import emulated_cuda  # noqa: E402

#: Public functions of `torch.cuda` that need a real device, each with the reason.
REAL_ONLY = {
    "raw memory and other allocators": "caching_allocator_alloc caching_allocator_delete "
    "caching_allocator_disabled caching_allocator_enable CUDAPluggableAllocator MemPool "
    "change_current_allocator use_mem_pool",
    "the driver itself": "cudart check_error cudaStatus GreenContext get_stream_from_external",
    "kernels compiled at run time": "jiterator",
    "what a graph consists of": "export_dot export_graph_data",
    "kernels of several devices": "nccl tunable",
    "exceptions": "CudaError DeferredCudaCallError",
}


def test_events_tell_the_crash_the_births_and_the_roots() -> None:
    with emulated_cuda() as record:
        x = torch.ones(3, device="cuda")
        y = torch.ones(3)
        z = y * 2
        with pytest.raises(DeviceError, match="found at least two devices"):
            x + z
    event = record.events[0]
    path, line, _ = event.stack[0]
    assert path == __file__
    assert [each.device for each in event.operands] == ["cuda:0", "cpu"]
    assert [line - each.birth[0][1] for each in event.operands] == [4, 2]
    assert [line - root[0][1] for root in event.operands[1].roots] == [3]


@pytest.mark.parametrize("kind", [DeviceError, ExportError, BufferExportError])
def test_exceptions_go_by_public_names_and_from_process_to_process(kind: type[Exception]) -> None:
    error = kind("no")
    public = kind.__mro__[1].__name__
    assert traceback.format_exception_only(error) == [f"{public}: no\n"]
    sent = pickle.loads(ForkingPickler.dumps(error))
    assert (type(sent), sent.args, pickle.loads(pickle.dumps(kind))) == (kind, ("no",), kind)


@pytest.mark.skipif(torch.__version__ < "2.11", reason="no weak references to generators")
@pytest.mark.parametrize(("made_on", "draws_on"), [("cpu", "cuda"), ("cuda", "cpu")])
def test_a_draw_that_is_refused_tells_where_its_generator_was_made(
    made_on: str, draws_on: str
) -> None:
    with emulated_cuda() as record:
        generator = torch.Generator(made_on)
        generator.manual_seed(0)
        with pytest.raises(DeviceError, match="generator") as raised:
            torch.randn(3, generator=generator, device=draws_on)
    [event] = record.events
    [operand] = event.operands
    assert event.stack[0][1] - operand.birth[0][1] == 3
    assert (operand.device.partition(":")[0], operand.shape) == (made_on, None)
    assert [each.partition(" was made at ")[0] for each in event.births()] == [
        f"a generator on {operand.device}"
    ]
    assert raised.value.event == event == from_plain(json.loads(json.dumps(plain(event))))


def test_the_generators_of_pytorch_itself_were_made_nowhere() -> None:
    with emulated_cuda() as record, pytest.raises(DeviceError, match="generator"):
        torch.randn(3, generator=torch.default_generator, device="cuda")
    assert record.events[0].operands[0].birth == ()


def test_what_is_pinned_has_the_root_that_was_pinned() -> None:
    with emulated_cuda() as record:
        x = torch.ones(3)
        y = x.pin_memory()
        with pytest.raises(DeviceError):
            y + torch.ones(3, device="cuda")
    [pinned, _] = record.events[0].operands
    crash = record.events[0].stack[0][1]
    assert (crash - pinned.birth[0][1], [crash - root[0][1] for root in pinned.roots]) == (2, [3])


def test_a_run_that_goes_on_finds_every_event() -> None:
    with emulated_cuda(goes_on=True) as record:
        x = torch.ones(3, device="cuda")
        y = (x + torch.ones(3)) @ torch.ones(3, 3)
        assert y.is_cuda
        torch.ones(3)[torch.tensor([0], device="cuda")]
    assert [event.kind for event in record.events] == ["several-devices"] * 2 + ["index"]


def test_the_garbage_collector_takes_no_claims() -> None:
    with emulated_cuda():
        x = torch.ones(3, device="cuda")
        cycle: list[Any] = [x.untyped_storage()]
        cycle.append(cycle)
        del cycle
        gc.collect()
        assert x.is_cuda


def test_torch_is_as_before_afterwards() -> None:
    before = snapshot()
    with pytest.raises(ZeroDivisionError), emulated_cuda():
        raise ZeroDivisionError
    changed = {name for name, value in snapshot().items() if value is not before.get(name)}
    assert changed == set()
    assert not torch.cuda.is_available()


def snapshot() -> dict[str, Any]:
    owners = [torch, torch.Tensor, torch.nn.Module, torch._C, torch.accelerator]
    owners += [module for name, module in sys.modules.items() if name.startswith("torch.cuda")]
    owners += [torch.utils.data.DataLoader, torch.UntypedStorage, torch.serialization, torch.jit]
    return {f"{owner!r}.{name}": value for owner in owners for name, value in vars(owner).items()}


def test_a_checkpoint_loads_where_there_is_no_cuda(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint.pt"
    model = torch.nn.Linear(2, 2)
    with emulated_cuda():
        model.cuda()
        optimizer = torch.optim.Adam(model.parameters())
        model(torch.ones(1, 2, device="cuda")).sum().backward()
        optimizer.step()
        state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
        torch.save({**state, "random": torch.cuda.get_rng_state(), "step": 1}, path)
        model.cpu()
    program = f"import torch; print(torch.load({str(path)!r}, weights_only=True)['step'])"
    plain = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert plain.stdout == "1\n", plain.stderr
    assert not {word for word in (b"cuda", b"devlint") if word in path.read_bytes()}
    loaded = torch.load(path)["model"]["weight"]
    assert loaded.device.type == "cpu"
    assert torch.equal(loaded, model.weight)


def test_the_state_of_random_numbers_comes_from_the_cpu() -> None:
    real = torch.set_rng_state
    with emulated_cuda():
        state = torch.get_rng_state()
        torch.set_rng_state(state)
        with pytest.raises(TypeError, match="RNG state must be"):
            torch.set_rng_state(state.cuda())
    assert torch.set_rng_state is real


def test_every_function_of_torch_cuda_is_emulated() -> None:
    real_only = {name for names in REAL_ONLY.values() for name in names.split()}
    before = {name: getattr(torch.cuda, name) for name in torch.cuda.__all__}
    excused = real_only & before.keys()  # Versions of PyTorch have different ones.
    with emulated_cuda():
        untouched = {name for name, value in before.items() if getattr(torch.cuda, name) is value}
    constants = {name for name in untouched if not callable(before[name])}
    storages = {name for name in untouched if name.endswith("Storage")}
    assert untouched - constants - storages == excused - constants


def test_a_wheel_keeps_the_version_of_cuda_that_it_was_built_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """torchvision and torchaudio refuse to be imported beside another one than their own."""
    monkeypatch.setattr(torch.version, "cuda", "13.2")
    with emulated_cuda():
        assert torch.version.cuda == "13.2"
    assert torch.version.cuda == "13.2"


def test_a_wheel_without_cuda_is_given_a_version_while_cuda_is_emulated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(torch.version, "cuda", None)
    with emulated_cuda():
        assert int(torch.version.cuda.partition(".")[0]) >= 12
    assert torch.version.cuda is None


def test_events_that_are_heard_are_not_kept() -> None:
    heard: list[DeviceEvent] = []
    with emulated_cuda(goes_on=True, hear=heard.append) as record:
        torch.ones(2) + torch.ones(2, device="cuda")
    assert ([event.kind for event in heard], record.events) == (["several-devices"], [])
