"""What autocast casts the operands of an operator to, seen before the operator itself runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from devlint.confirm.torch_patches.autocast.policies import Policy, overload, policies

#: They cast within themselves, too: `bfloat16` in front of a softmax that is asked for `float32`;
#: the weights of an RNN, which builds for CUDA alone know as one operator.
_CASTING = {"scaled_dot_product_attention", "softmax.int", "log_softmax.int", "_cudnn_rnn"}
#: For parameters that are no tensors.
_PLAIN = {
    "List[int]": [1, 1],
    "List[Optional[Tensor]]": [],
    "bool": False,
    "float": 1.0,
    "int": 1,
    "number": 1,
    "str": "ij,jk",
}
#: Whether operands are cast to autocast's `dtype` or to float32, if all are of float32, all of
#: that dtype, and the first alone of it.
_EXPECTED = {
    Policy.LOWER_PRECISION_FP: ("dtype", None, "dtype"),
    Policy.FP32: (None, "float32", "float32"),
    Policy.PROMOTE: (None, None, "float32"),
    Policy.FP32_SET_OPT_DTYPE: (None, None, None),
    Policy.FP32_APPEND_DTYPE: (None, None, None),
}


class ReachedError(Exception):
    """The operator itself, after its casts."""


class Casts(TorchDispatchMode):  # type: ignore[misc]
    """Keeps to which dtypes operands are cast, and ends at the first other operator."""

    def __init__(self) -> None:
        super().__init__()
        self.dtypes: list[Any] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is torch.ops.aten._to_copy.default:
            self.dtypes.append(kwargs["dtype"])
        elif func.namespace != "prim":
            raise ReachedError
        return func(*args, **(kwargs or {}))


def cast_operators() -> list[str]:
    """The operators that autocast for CUDA casts, and whose casts show."""
    return sorted(_policies().keys() - _CASTING)


def expected(name: str) -> list[str | None]:
    """What `casts` is to tell of an operator by its policy."""
    return list(_EXPECTED[_policies()[name]][: _pairs(overload(name))])


def casts(name: str, lower: Any) -> list[str | None]:
    """What is cast to for each pair of dtypes in the tensors of an operator; autocast is on."""
    operator = overload(name)
    pairs = [(torch.float32, torch.float32), (lower, lower), (lower, torch.float32)]
    words = {None: None, lower: "dtype", torch.float32: "float32"}
    found = [_cast(operator, *pair) for pair in pairs[: _pairs(operator)]]
    return [words.get(each, "other") for each in found]


@cache
def _policies() -> dict[str, Policy]:
    return dict(policies())


def _cast(operator: Any, first: Any, rest: Any) -> Any:
    """What autocast casts to where the first tensor has one dtype and the rest another."""
    dtypes = iter([first])
    args = [_argument(each, dtypes, rest) for each in _required(operator)]
    # Functions of several operators look at sizes before any of them runs.
    with Casts() as seen, suppress(ReachedError, RuntimeError, IndexError):
        operator(*args)
    return seen.dtypes[0] if seen.dtypes else None


def _required(operator: Any) -> list[Any]:
    return [each for each in operator._schema.arguments if not each.has_default_value()]


def _pairs(operator: Any) -> int:
    """How many of the pairs of dtypes tell something: the last one takes several tensors."""
    kinds = [str(each.type) for each in _required(operator)]
    return 3 if "List[Tensor]" in kinds or kinds.count("Tensor") > 1 else 2


def _argument(parameter: Any, dtypes: Iterator[Any], rest: Any) -> Any:
    """Anything that the type admits; sizes do not matter to the casts."""
    kind = str(parameter.type)
    if kind == "Tensor":
        return torch.empty(2, 2, 2, 2, device="cuda:0", dtype=next(dtypes, rest))
    if kind == "List[Tensor]":
        return [torch.empty(2, 2, 2, 2, device="cuda:0", dtype=next(dtypes, rest)) for _ in "ab"]
    return _PLAIN.get(kind)
