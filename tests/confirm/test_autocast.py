"""The policies of autocast for CUDA, and what PyTorch's own kernels do to fake tensors of CUDA."""

from __future__ import annotations

from typing import Any

import pytest

torch: Any = pytest.importorskip("torch")

from torch._subclasses.fake_tensor import FakeTensorMode  # noqa: E402

from devlint.confirm.emulation.emulate import emulated_cuda  # noqa: E402
from devlint.confirm.evidence.autocast import cast_operators, casts, expected  # noqa: E402


@pytest.fixture
def fake_cuda(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(torch.cuda, "_lazy_init", lambda: None)
    with FakeTensorMode():
        torch.set_autocast_enabled("cuda", True)
        yield
        torch.set_autocast_enabled("cuda", False)


@pytest.mark.usefixtures("fake_cuda")
@pytest.mark.parametrize("name", cast_operators())
def test_policy(name: str) -> None:
    assert casts(name, torch.float16) == expected(name)


def test_what_autocast_leaves_behind() -> None:
    x = torch.ones(2, 2)
    with emulated_cuda():
        pass
    torch.set_autocast_enabled("cuda", True)
    assert (x @ x).dtype == torch.float32
    torch.set_autocast_enabled("cuda", False)
