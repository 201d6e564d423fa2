"""The policies of autocast for CUDA, and what PyTorch's own kernels do to fake tensors of CUDA."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

torch: Any = pytest.importorskip("torch")

from torch._subclasses.fake_tensor import FakeTensorMode  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

from devlint.confirm.emulation.emulate import emulated_cuda  # noqa: E402
from devlint.confirm.torch_patches.autocast.policies import (  # noqa: E402
    Policy,
    overload,
    policies,
)

POLICIES = dict(policies())
FLOAT, HALF = torch.float32, torch.float16
#: They cast within themselves, too.
CASTING = {"scaled_dot_product_attention"}
#: For parameters that are no tensors.
PLAIN = {
    "List[int]": [1, 1],
    "List[Optional[Tensor]]": [],
    "bool": False,
    "float": 1.0,
    "int": 1,
    "number": 1,
    "str": "ij,jk",
}
#: What operands are cast to if all are of float32, all of float16, and the first alone of float16.
EXPECTED = {
    Policy.LOWER_PRECISION_FP: (HALF, None, HALF),
    Policy.FP32: (None, FLOAT, FLOAT),
    Policy.PROMOTE: (None, None, FLOAT),
    Policy.FP32_SET_OPT_DTYPE: (None, None, None),
    Policy.FP32_APPEND_DTYPE: (None, None, None),
}


class ReachedError(Exception):
    """The operator itself, after its casts."""


class Casts(TorchDispatchMode):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.dtypes: list[Any] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is torch.ops.aten._to_copy.default:
            self.dtypes.append(kwargs["dtype"])
        elif func.namespace != "prim":
            raise ReachedError
        return func(*args, **(kwargs or {}))


@pytest.fixture
def fake_cuda(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(torch.cuda, "_lazy_init", lambda: None)
    with FakeTensorMode():
        torch.set_autocast_enabled("cuda", True)
        yield
        torch.set_autocast_enabled("cuda", False)


@pytest.mark.usefixtures("fake_cuda")
@pytest.mark.parametrize("name", sorted(POLICIES.keys() - CASTING))
def test_policy(name: str) -> None:
    operator = overload(name)
    pairs = [(FLOAT, FLOAT), (HALF, HALF), (HALF, FLOAT)][: 3 if has_several(operator) else 2]
    expected = EXPECTED[POLICIES[name]][: len(pairs)]
    assert tuple(cast(operator, first, rest) for first, rest in pairs) == expected


def cast(operator: Any, first: Any, rest: Any) -> Any:
    """What autocast casts to where the first tensor has one dtype and the rest another."""
    dtypes = iter([first])
    args = [argument(each, lambda: next(dtypes, rest)) for each in required(operator)]
    # Functions of several operators look at sizes before any of them runs.
    with Casts() as seen, suppress(ReachedError, RuntimeError, IndexError):
        operator(*args)
    return seen.dtypes[0] if seen.dtypes else None


def required(operator: Any) -> list[Any]:
    return [each for each in operator._schema.arguments if not each.has_default_value()]


def has_several(operator: Any) -> bool:
    kinds = [str(each.type) for each in required(operator)]
    return "List[Tensor]" in kinds or kinds.count("Tensor") > 1


def argument(parameter: Any, dtype: Any) -> Any:
    """Anything that the type admits; sizes do not matter to the casts."""
    kind = str(parameter.type)
    if kind == "Tensor":
        return torch.empty(2, 2, 2, 2, device="cuda:0", dtype=dtype())
    if kind == "List[Tensor]":
        return [torch.empty(2, 2, 2, 2, device="cuda:0", dtype=dtype()) for _ in range(2)]
    return PLAIN.get(kind)


def test_what_autocast_leaves_behind() -> None:
    x = torch.ones(2, 2)
    with emulated_cuda():
        pass
    torch.set_autocast_enabled("cuda", True)
    assert (x @ x).dtype == FLOAT
    torch.set_autocast_enabled("cuda", False)
