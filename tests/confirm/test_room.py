"""Memory of emulated CUDA that has an end."""

from __future__ import annotations

from typing import Any

import pytest

torch: Any = pytest.importorskip("torch")

from devlint.confirm.emulation.emulate import emulated_cuda  # noqa: E402

MIB = 1 << 20


def test_what_a_device_has_no_room_for_is_out_of_memory() -> None:
    words = "CUDA out of memory. Tried to allocate 0.00 GiB. GPU 0 has a total capacity of"
    with emulated_cuda(memory=4 * MIB) as record:
        x = torch.ones(3 * MIB // 4, device="cuda")
        cpu = torch.ones(MIB // 2)
        for allocate in (x.neg, cpu.cuda, lambda: torch.ones(MIB, device="cuda")):
            with pytest.raises(torch.cuda.OutOfMemoryError, match=words):
                allocate()
        assert torch.cuda.mem_get_info() == (MIB, 4 * MIB)
        assert torch.cuda.get_device_properties(0).total_memory == 4 * MIB
        y = x[1:].view(-1)  # Shares the memory.
        x.add_(1)
        del x, y, allocate
        assert torch.cuda.memory_allocated() == 0
        assert torch.ones(MIB // 2, device="cuda").mul(2).is_cuda
    assert record.events == []


def test_there_is_no_end_unless_it_is_asked_for() -> None:
    with emulated_cuda():
        x = torch.ones(MIB, device="cuda")
        assert torch.cuda.memory_allocated() == 0
        assert x.is_cuda


def test_each_device_has_its_own() -> None:
    with emulated_cuda(devices=2, memory=4 * MIB):
        x = torch.ones(MIB // 2, device="cuda:0")
        assert x.to("cuda:1").get_device() == 1
        assert torch.cuda.memory_allocated(0) == 2 * MIB
