"""Faults of the emulation itself, which must not look like those of the program."""

from __future__ import annotations

from typing import Any

import pytest

torch: Any = pytest.importorskip("torch")

from devlint.confirm.emulation import dispatch_mode  # noqa: E402
from devlint.confirm.emulation.emulate import emulated_cuda  # noqa: E402
from devlint.confirm.emulation.faults import EmulationFaultError  # noqa: E402


def test_a_fault_says_whose_it_is_and_what_was_attempted(monkeypatch: pytest.MonkeyPatch) -> None:
    no_laws: dict[Any, Any] = {}
    monkeypatch.setattr(dispatch_mode, "law", no_laws.__getitem__)
    with emulated_cuda(), pytest.raises(EmulationFaultError) as told:
        torch.ones(2).neg()
    assert (
        "devlint failed to emulate aten.ones.default: KeyError: <OpOverload(op='aten.ones'"
        in str(told.value)
    )
    assert "fault of devlint, not of the program. Please report it" in str(told.value)
    assert isinstance(told.value.__cause__, KeyError)


def test_what_the_program_does_wrong_is_its_own() -> None:
    with emulated_cuda():
        with pytest.raises(RuntimeError, match="must match the size"):
            torch.ones(2, device="cuda") + torch.ones(3, device="cuda")
        with pytest.raises(IndexError):
            torch.ones(2, device="cuda").sum(5)
