"""What the functions of PyTorch do with an operand on another device, by its own test samples.

Run as `python -m devlint.confirm.evidence.operators` with an order on stdin, as
`operator_shares` gives it: a line of JSON tells of each function. A process of its own, for the
samples' module starts CUDA, and a kernel that reads memory of the wrong side ends that for all.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.utils._pytree import (
    keystr,
    tree_flatten_with_path,
    tree_leaves,
    tree_unflatten,
)

from devlint.confirm.device_tags.cuda_messages import is_of_devices
from devlint.confirm.witnesses.runner import cuda_of

#: What becomes of a call, besides results.
REFUSED, FAULT = "refused", "fault"
#: Of an error that is kept.
_WIDTH = 200
#: Kernels that Python compiles for a real GPU alone.
_COMPILED = "jiterator"


class FaultError(Exception):
    """A kernel broke CUDA in this process, which is of no more use; the message is CUDA's."""


def known() -> Iterator[tuple[str, Any]]:
    """The functions that PyTorch has samples for, by name and variant."""
    from torch.testing._internal.common_methods_invocations import op_db

    for each in op_db:
        if not each.name.startswith(_COMPILED):
            variant = each.variant_test_name
            yield f"{each.name}.{variant}" if variant else each.name, each


class Trial:
    """The samples of a function, each with one operand after another on the other device.

    `outcomes`: what became of them, by operand, its rank, its device and the rank of the others
    (`args[0], 0-dim, on cpu, others n-dim`); several if samples differ.
    """

    def __init__(self, function: Any) -> None:
        self.function = function
        self.outcomes: defaultdict[str, set[str]] = defaultdict(set)

    def run(self) -> None:
        torch.manual_seed(0)
        for sample in samples(self.function):
            call = Call.of((sample.input, sample.args, sample.kwargs))
            if call.has_several and self._is_run(call):
                for place in call.tensors:
                    self._move(call, place)
                    self._move_scalar(call, place)

    def _move(self, call: Call, place: int) -> None:
        others = call.rank(each for each in call.tensors if each != place)
        for odd, rest in ("cpu", "cuda"), ("cuda", "cpu"):
            moved = call.on(rest).put(place, call.flat[place].detach().to(odd))
            key = f"{call.names[place]}, {call.rank([place])}, on {odd}, others {others}"
            try:
                self.outcomes[key].add(self._outcome(moved))
            except FaultError:
                self.outcomes[key].add(FAULT)
                raise

    def _move_scalar(self, call: Call, place: int) -> None:
        """The same where a 0-dim tensor can take the place of the operand."""
        tensor = call.flat[place].detach()
        if tensor.dim() and tensor.layout is torch.strided:
            scalar = call.put(place, tensor.flatten()[0].clone())
            # The CPU says of an index that is out of bounds what ends a process on CUDA.
            if self._is_run(scalar.on("cpu")) and self._is_run(scalar):
                self._move(scalar, place)

    def _is_run(self, call: Call) -> bool:
        return not self._outcome(call).startswith(REFUSED)

    def _outcome(self, call: Call) -> str:
        """Where the results are, or what it is refused with if not in the usual words."""
        first, args, kwargs = call.operands()
        try:
            with torch.no_grad():
                result = self.function(first, *args, **kwargs)
                found = sorted({each.device.type for each in tensors_of(result)})
        except Exception as error:
            return refusal(error)
        try:
            torch.cuda.synchronize()
        except Exception as error:
            raise FaultError(str(error).partition("\n")[0]) from error
        return f"on {' and '.join(found)}" if found else "no tensor"


@dataclass(frozen=True, slots=True)
class Call:
    """What a function is given, with a name for each place in it."""

    flat: tuple[Any, ...]
    shape: Any
    names: tuple[str, ...]

    @classmethod
    def of(cls, operands: Any) -> Call:
        """`operands`: the first, the others, and those by keyword."""
        found, shape = tree_flatten_with_path(operands)
        return cls(tuple(each for _, each in found), shape, tuple(named(path) for path, _ in found))

    @property
    def tensors(self) -> list[int]:
        return [place for place, each in enumerate(self.flat) if isinstance(each, torch.Tensor)]

    @property
    def has_several(self) -> bool:
        """Several tensors, none of them empty: with one, nothing may be looked at."""
        return len(self.tensors) > 1 and all(self.flat[each].numel() for each in self.tensors)

    def rank(self, places: Iterable[int]) -> str:
        return "n-dim" if any(self.flat[each].dim() for each in places) else "0-dim"

    def on(self, device: str) -> Call:
        flat = [
            each.detach().to(device) if isinstance(each, torch.Tensor) else each
            for each in self.flat
        ]
        return replace(self, flat=tuple(flat))

    def put(self, place: int, value: Any) -> Call:
        return replace(self, flat=(*self.flat[:place], value, *self.flat[place + 1 :]))

    def operands(self) -> Any:
        return tree_unflatten(self.flat, self.shape)


def named(path: Any) -> str:
    """Of a path in `(first, others, by keyword)`."""
    first: str = ("input", "args", "kwargs")[path[0].idx]
    return f"{first}{keystr(path[1:])}"


def tensors_of(result: Any) -> list[Any]:
    return [each for each in tree_leaves(result) if isinstance(each, torch.Tensor)]


def dtype_of(function: Any) -> Any:
    """What its samples are made of, if the CPU has a kernel of it."""
    kinds = function.supported_dtypes("cpu")
    return torch.float32 if torch.float32 in kinds else min(kinds, key=str, default=None)


def samples(function: Any) -> Iterator[Any]:
    dtype = dtype_of(function)
    if dtype is not None:
        yield from function.sample_inputs("cuda", dtype, requires_grad=False)


def refusal(error: Exception) -> str:
    words = f"{REFUSED}: {type(error).__name__}: {error}".partition("\n")[0]
    return REFUSED if is_of_devices(str(error)) else words[:_WIDTH]


def run(order: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What is to be told of each function of a share that has not been tried."""
    number, shares = order["share"]
    for name, function in list(known())[number::shares]:
        if name in order["tried"]:
            continue
        yield {"begun": name}
        trial, fault = Trial(function), None
        try:
            trial.run()
        except FaultError as error:
            fault = str(error)
        except Exception as error:
            trial.outcomes["samples"].add(refusal(error))
        outcomes = {place: sorted(found) for place, found in trial.outcomes.items()}
        yield {"name": name, "outcomes": outcomes, "fault": fault}
        if fault:
            return


def main() -> None:
    order = json.load(sys.stdin)
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # What imports print, in C++ too, is no answer.
    with cuda_of(order["device"], 1):
        for each in run(order):
            print(json.dumps(each), file=answers, flush=True)


if __name__ == "__main__":
    main()
