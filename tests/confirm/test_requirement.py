"""Which PyTorch is accepted, and what is said of the others."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

import pytest

from devlint.confirm.emulation import torch_requirement
from devlint.confirm.emulation.torch_requirement import OLDEST, EmulationError, required, unmet

PROJECT = Path(__file__).parents[2] / "pyproject.toml"


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ("1.13.1", "it needs torch >= 2.10, this is 1.13.1"),
        ("2.9.1+cu128", "it needs torch >= 2.10, this is 2.9.1+cu128"),
        ("2.10.0", None),
        ("2.15.0+cu132", None),
        ("3.0.0a0+git1234567", None),
    ],
)
def test_versions(found: str, expected: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch_requirement, "find_spec", lambda name: "there")
    monkeypatch.setattr(torch_requirement, "version", lambda name: found)
    assert unmet("it") == expected


def test_a_torch_that_no_package_brought_is_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    def version(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(torch_requirement, "find_spec", lambda name: "there")
    monkeypatch.setattr(torch_requirement, "version", version)
    assert unmet("it") is None


def test_without_torch_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch_requirement, "find_spec", lambda name: None)
    assert unmet("it") == "it needs torch: pip install 'devlint[confirm]'"


def test_the_package_asks_for_the_same() -> None:
    oldest = ".".join(map(str, OLDEST))
    assert f'confirm = ["torch>={oldest}"]\n' in PROJECT.read_text(encoding="utf-8")


def test_what_is_missing_is_told_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch_requirement, "version", lambda name: "9.0")
    with pytest.raises(EmulationError) as told, required():
        raise AttributeError("no attribute 'x'\nDid you mean: 'y'?")
    line = "CUDA cannot be emulated on torch 9.0: AttributeError: no attribute 'x'"
    assert str(told.value) == line


def test_nothing_is_replaced_where_something_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    torch: Any = pytest.importorskip("torch")
    from devlint.confirm.emulation.emulate import emulated_cuda

    monkeypatch.delattr(torch.autograd, "_make_grads")
    ones = torch.ones
    with pytest.raises(EmulationError, match="_make_grads"), emulated_cuda():
        pass
    assert torch.ones is ones
