"""The dispatch mode that compares the claims of every operator's operands, forward and backward."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch._ops import OpOverload
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._python_dispatch import TorchDispatchMode

from devlint.confirm.device_tags.aten_facts import Law, law
from devlint.confirm.device_tags.operand_check import common_device
from devlint.confirm.device_tags.provenance import Birth, birth
from devlint.confirm.device_tags.tag import (
    CPU,
    Claim,
    claim_of,
    claim_storage,
    device_of,
    dispatches,
    holder,
    place,
    real_device,
    storage_claim,
)
from devlint.confirm.emulation.custom_operators import kernel
from devlint.confirm.emulation.faults import WRONG, tell
from devlint.confirm.emulation.float16 import by_float32, is_float16
from devlint.confirm.torch_patches.compilers.torch_script import SIGN, is_sign
from devlint.confirm.torch_patches.generators import check_generator
from devlint.confirm.torch_patches.session import Emulation

_ROOTS = 4
#: The types of devices that are claimed; what is on another one is really there.
_CLAIMED = ("cpu", "cuda")
#: A trace has not this operator, but the one that it calls.
_CONVOLUTION = torch.ops.aten.convolution.default
#: The key of what writes a trace, which is excluded within a dispatch mode.
_TRACER = torch._C._dispatch_key_parse("Tracer")
#: The dtypes of numbers that are tensors.
_DTYPES = {
    bool: torch.bool,
    int: torch.int64,
    float: torch.float64,
    complex: torch.complex128,
}


class Claims(TorchDispatchMode):  # type: ignore[misc]
    """Gives each new storage its claim, and lets no operator run that CUDA would refuse."""

    supports_higher_order_operators = True

    def __init__(self, emulation: Emulation) -> None:
        super().__init__()
        self._emulation = emulation
        #: The tensor on whose device a script is about to make something.
        self._beside: Any = None

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Nothing is compiled; the wrapper that keeps Dynamo out costs a quarter of our time."""
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        try:
            return self._run(func, types, args, kwargs or {})
        except WRONG as error:
            tell(error, func)
            raise

    def _run(self, func: Any, types: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        if types and (dispatching := [each for each in types if dispatches(each)]):
            # Wrapper subclasses have their say; what they call comes by again.
            return func(*args, **kwargs) if FakeTensor in dispatching else NotImplemented
        if not isinstance(func, OpOverload):
            return self._follow(func, args, kwargs)
        if func.namespace != "aten" and (defined := kernel(func, _tensors(args, kwargs))):
            with self:
                return defined(*args, **kwargs)
        known = law(func)
        if _has_numbers(args, known.tensors):
            args = _as_tensors(args, known.tensors)
        if func is SIGN and is_sign(args, kwargs):
            self._beside = args[0]
            return torch.ops.aten.empty.memory_format([0])
        if known.is_free and args and args[0].layout is torch.strided:
            return func(*args, **kwargs)
        if known.is_foreign:
            self._emulation.record.overlook("operator", func.name())
        holders = [holder(tensor) for tensor in _tensors(args, kwargs)]
        claims = [storage_claim(kept) for kept in holders]
        device = self._device(known, func, claims, args, kwargs) if holders else CPU
        asked = kwargs.get("device")
        if asked is not None and asked.type == "cuda":
            kwargs = {**kwargs, "device": CPU}
        if func is _CONVOLUTION and torch.jit.is_tracing():
            with torch._C._SetExcludeDispatchKeyGuard(_TRACER, False):
                result = func(*args, **kwargs)
        elif known.adds_products and is_float16(args):
            result = by_float32(func, args, kwargs)
        else:
            result = func(*args, **kwargs)
        outputs = result if isinstance(result, (list, tuple)) else (result,)
        self._claim(known, holders, claims, device, outputs, asked)
        if asked is not None and not self._emulation.makers.depth:
            self._settle(known, asked, args, kwargs, result)
        return result

    def _settle(self, known: Law, asked: Any, args: Any, kwargs: dict[str, Any], made: Any) -> None:
        """The claim of what C++ asks to have on a device (TorchScript)."""
        is_move = known.name == "_to_copy"
        beside, self._beside = self._beside, None
        if beside is not None:
            claim = claim_of(beside)
            place(made, device_of(beside), birth())
            claim_of(made).is_open = claim is not None and claim.is_open  # type: ignore[union-attr]
        elif asked.type == "cuda" or (is_move and kwargs.get("pin_memory") is False):
            place(made, self._emulation.devices.named(asked), birth())
        elif is_move and made.dtype == args[0].dtype:
            # To where another tensor is, which is the CPU for C++.
            claim_of(made).is_open = True  # type: ignore[union-attr]

    def _follow(self, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        """An operator that calls functions of Python (`flex_attention`), without a law."""
        given = _tensors(args, kwargs)
        device = device_of(given[0]) if given else CPU
        result = func(*args, **kwargs)
        for output in result if isinstance(result, (list, tuple)) else (result,):
            if isinstance(output, torch.Tensor) and not any(output is each for each in given):
                place(output, device, birth())
        return result

    def _device(
        self, known: Law, func: Any, claims: list[Claim | None], args: Any, kwargs: dict[str, Any]
    ) -> Any:
        device = _shared(claims)
        if device is None or known.is_particular:
            device = common_device(known, func, args, kwargs, self._emulation.record)
        if known.samples and not self._emulation.makers.depth:
            for value in (*args, *kwargs.values()):
                if isinstance(value, torch._C.Generator):
                    check_generator(value, device, self._emulation.record)
        return device

    def _claim(
        self,
        known: Law,
        holders: list[Any],
        claims: list[Claim | None],
        device: Any,
        outputs: Sequence[Any],
        asked: Any,
    ) -> None:
        """The claims of the storages that are new."""
        for number, output in enumerate(outputs):
            if not isinstance(output, torch.Tensor) or type(output) is FakeTensor:
                continue
            kept = holder(output)
            if storage_claim(kept) is not None:
                continue
            if None in claims and any(kept is each for each in holders):
                continue
            claim = Claim(_place(known, claims, device, number, output), birth())
            claim.is_open = self._is_open(claims, asked)
            if claims and claim.device == CPU:
                claim.roots = _roots(claims)
            claim_storage(kept, claim, claims)
            if claim.device != CPU:
                self._emulation.room.take(output)

    def _is_open(self, claims: list[Claim | None], asked: Any) -> bool:
        """Made by C++ code where another tensor is, or from what was made so."""
        if not claims:
            is_known = asked is None or asked.type not in _CLAIMED
            return not is_known and not self._emulation.makers.depth
        first = claims[0]  # Most are not open: this is asked of every result.
        if first is None or not first.is_open:
            return False
        return all(claim is not None and claim.is_open for claim in claims)


def _has_numbers(args: Sequence[Any], places: Sequence[int]) -> bool:
    """Whether a dispatch mode is given numbers where only tensors may stand: constants of
    TorchScript, when its passes compare them or show a graph."""
    return any(number < len(args) and type(args[number]) in _DTYPES for number in places)


def _as_tensors(args: Sequence[Any], places: Sequence[int]) -> list[Any]:
    made = torch.ops.aten.scalar_tensor.default
    return [
        made(value, dtype=_DTYPES[type(value)])
        if number in places and type(value) in _DTYPES
        else value
        for number, value in enumerate(args)
    ]


def _tensors(args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any]:
    found = []
    for value in (*args, *kwargs.values()) if kwargs else args:
        if isinstance(value, torch.Tensor):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            found += [each for each in value if isinstance(each, torch.Tensor)]
    return found


def _shared(claims: list[Claim | None]) -> Any:
    """The one device of all operands; `None` where there are several."""
    first = CPU if claims[0] is None else claims[0].device
    for claim in claims:
        if claim is None:
            if first != CPU:
                return None
        elif claim.is_open or claim.device != first:
            return None
    return first


def _place(known: Law, claims: list[Claim | None], device: Any, place: int, output: Any) -> Any:
    """Where the output at `place` is."""
    real = real_device(output)
    if real != CPU:
        return real
    if known.by_position and place < len(claims):
        claim = claims[place]
        return CPU if claim is None else claim.device
    return CPU if place == known.on_cpu else device


def _roots(claims: list[Claim | None]) -> tuple[Birth, ...]:
    """Where the data of a tensor on the CPU comes from."""
    found: list[Birth] = []
    for claim in claims:
        for root in (claim.roots or (claim.birth,)) if claim else ():
            if root and root not in found and len(found) < _ROOTS:
                found.append(root)
    return tuple(found)
