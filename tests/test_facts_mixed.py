"""Which operands may meet across devices by the facts, compared with fake CUDA tensors."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from devlint.facts.effect import Agrees, Fact, Many, Pointwise
from devlint.facts.signature import Mark, Parameter, signature

torch: Any = pytest.importorskip("torch")

from .torch_examples import (  # noqa: E402
    Place,
    as_is,
    as_scalar,
    called,
    example,
    is_in_place,
    known,
    placed,
    tensors,
)

TorchDispatchMode: Any = import_module("torch.utils._python_dispatch").TorchDispatchMode
FakeTensorMode: Any = import_module("torch._subclasses.fake_tensor").FakeTensorMode

pytestmark = pytest.mark.filterwarnings("ignore")  # Deprecations are not the facts' subject.

WITHOUT_FAKE = {
    "the result depends on values": "bincount combinations cov gaussian_nll_loss istft lstsq "
    "masked_select pack_sequence repeat_interleave tensor_split unpad_sequence",
    "no fake kernel in a build without CUDA": "ctc_loss grid_sample histogram instance_norm "
    "multi_margin_loss",
}
NO_FAKE = {name for names in WITHOUT_FAKE.values() for name in names.split()}
_NATIVE = (
    Path(torch.__file__).parents[1] / "torchgen" / "packaged/ATen/native/native_functions.yaml"
)
STRICT = {
    entry.partition("(")[0]
    for entry in _NATIVE.read_text().split("\n- func: ")
    if ("CUDA" in entry or "structured_delegate" in entry) and "device_check: NoCheck" not in entry
}
NOWHERE = (-1, -1)
# Kernels of CUDA compare these themselves, 0-dim or not; fake ones do not.
REFUSED_BY_KERNELS = {"index_fill", "index_fill_", "masked_fill", "masked_fill_", "masked_scatter"}
REFUSED_BY_KERNELS |= {"complex", "polar"}
REFUSED_BY_KERNELS |= set(
    "addcdiv addcdiv_ addcmul addcmul_ block_diag lerp lerp_ logical_and logical_or logical_xor "
    "soft_margin_loss".split()
)
# They ask for operands of one size: a 0-dim one is excepted among such ones alone.
OF_ONE_SIZE = {
    "binary_cross_entropy_with_logits",
    "cosine_embedding_loss",
    "margin_ranking_loss",
}
# The fake kernels of convolutions compare no devices; those of CUDA do.
UNCOMPARED = re.compile(r".*\.conv\w*\dd")


def test_examples_run_where_no_devices_mix() -> None:
    names = compared(Agrees, Pointwise, Many)
    assert len(names) > 200
    assert [name for name in names if not mixes(name, NOWHERE, as_is)] == []


def test_operands_that_must_agree_are_refused_when_they_do_not() -> None:
    """Each operand in turn on the CPU, the others on (fake) CUDA."""
    accepted = [
        (name, where)
        for name in compared(Agrees, Pointwise, Many)
        for where, parameter, is_scalar in operands(name)
        if parameter.is_operand and not is_scalar and mixes(name, where, as_is)
    ]
    assert accepted == []


def test_scalars_on_the_cpu_are_accepted_where_they_are_exempt() -> None:
    refused = [
        (name, where)
        for name in compared(Agrees, Pointwise)
        if name.rpartition(".")[2] not in OF_ONE_SIZE
        for where, parameter, _ in operands(name)
        if is_exempt(known(name), where, parameter) and not mixes(name, where, as_scalar)
    ]
    assert refused == []


def test_scalars_on_the_cpu_are_refused_where_they_are_not_exempt() -> None:
    accepted = {
        name.rpartition(".")[2]
        for name in compared(Agrees, Pointwise, Many)
        for where, parameter, _ in operands(name)
        if not is_exempt(known(name), where, parameter)
        if parameter.is_operand and mixes(name, where, as_scalar)
    }
    assert accepted == REFUSED_BY_KERNELS


def is_exempt(plain: Fact, where: tuple[int, int], parameter: Parameter) -> bool:
    if is_in_place(plain) and where == (0, 0):
        return False
    is_pointwise = isinstance(plain, Pointwise) and parameter.mark is Mark.OPERAND
    return is_pointwise or parameter.mark is Mark.SCALAR_EXEMPT


def test_no_scalar_on_the_cpu_is_accepted_as_the_receiver_in_place() -> None:
    names = [name for name in compared(Agrees, Pointwise) if is_in_place(known(name))]
    assert len(names) > 30
    assert [name for name in names if mixes(name, (0, 0), as_scalar)] == []


def compared(*kinds: type[Fact]) -> list[str]:
    """Those with two tensors in their example that fake CUDA tensors can show."""
    return [
        name
        for name in called(*kinds)
        if len(list(operands(name))) > 1
        and name.rpartition(".")[2] not in NO_FAKE
        and not UNCOMPARED.fullmatch(name)
    ]


def operands(name: str) -> list[tuple[tuple[int, int], Parameter, bool]]:
    """Where the example has tensors, for which parameters, and whether they are 0-dim."""
    found: list[tuple[tuple[int, int], bool]] = []

    def note(where: tuple[int, int], tensor: Any) -> Any:
        found.append((where, tensor.dim() == 0))
        return tensor

    placed(name, note)
    args, kwargs = example(name)
    parameters = signature(known(name).signature).bind(len(args), kwargs)
    named = [(where, parameters[where[0]], is_scalar) for where, is_scalar in found]
    return [(where, bound, is_scalar) for where, bound, is_scalar in named if bound]


def mixes(name: str, odd: tuple[int, int], shape: Place) -> bool:
    """Whether CUDA accepts the call with the tensor at `odd` on the CPU, changed by `shape`."""

    def place(where: tuple[int, int], tensor: Any) -> Any:
        is_odd = where == odd
        like = shape(where, tensor) if is_odd else tensor
        return torch.empty_like(like, device="cpu" if is_odd else "cuda")

    with FakeTensorMode(allow_non_fake_inputs=True), StrictKernels() as strict:
        try:
            placed(name, place)
        except (AssertionError, IndexError, RuntimeError, TypeError, ValueError):
            return False
    return not strict.mixed


class StrictKernels(TorchDispatchMode):  # type: ignore[misc]
    """Notes the calls on several devices that generated CUDA code refuses, 0-dim or not.

    Fake tensors accept 0-dim CPU tensors everywhere; CUDA only where `native_functions.yaml`,
    from which the check is generated, says `device_check: NoCheck`.
    """

    def __init__(self) -> None:
        super().__init__()
        self.mixed: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        given = tensors([*args, *(kwargs or {}).values()])
        name = str(func).removeprefix("aten.").removesuffix(".default")
        if name in STRICT and len({tensor.device for tensor in given}) > 1:
            self.mixed.append(name)
        return func(*args, **(kwargs or {}))
