"""Claims of tensors that are on CUDA during shifted calls, and on the CPU between them.

A shifted call is one that a test makes on the CPU and that runs as if all it is given were on CUDA.
Nothing is copied for it: the storages that the test hands over, and those that are made on CUDA
meanwhile, claim to be there for as long as a shifted call runs. So identities, views, gradients and
what is changed in place need nothing done for them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor

from devlint.confirm.device_tags import tag
from devlint.confirm.device_tags.provenance import Birth
from devlint.confirm.device_tags.tag import CPU, Claim

_slot: Any = vars(Claim)["device"]
_there, _put_there = _slot.__get__, _slot.__set__


@dataclass(slots=True)
class Phase:
    """`is_used`: tests run shifted at all; `is_shifted`: now a shifted call runs.

    `call`: how many shifted calls there were, the one that runs among them; `constructors`: how
    many run, one within the other; `moves`: tensors that were moved, and their copies, where
    somebody wants to know; `births`: of what the shifted call that runs has made on the CPU.
    """

    is_used: bool = False
    is_shifted: bool = False
    call: int = 0
    constructors: int = 0
    moves: list[tuple[Any, Any]] | None = None
    births: set[Birth] = field(default_factory=set)


PHASE = Phase()


class Carried(Claim):
    """On its device during shifted calls only."""

    __slots__ = ()

    @property
    def device(self) -> Any:
        return _there(self) if PHASE.is_shifted else CPU

    @device.setter
    def device(self, device: Any) -> None:
        _put_there(self, device)

    def copied(self) -> Claim:
        return Carried(_there(self), self.birth, self.roots)


class Made(Claim):
    """Made on the CPU in the shifted call of that number, or by a constructor, or given to it.

    `call` is 0 between shifted calls.
    """

    __slots__ = ("call", "is_built")
    call: int
    is_built: bool

    @staticmethod
    def of(claim: Claim, *, is_built: bool) -> Made:
        made = Made(claim.device, claim.birth, claim.roots, claim.is_open, claim.is_pinned)
        made.call = PHASE.call if PHASE.is_shifted else 0
        made.is_built = is_built
        if PHASE.is_shifted:
            PHASE.births.add(claim.birth)
        return made

    def copied(self) -> Claim:
        return Made.of(self, is_built=self.is_built)


def is_made_in_this_call(claim: Claim | None) -> bool:
    return isinstance(claim, Made) and PHASE.is_shifted and claim.call == PHASE.call


def is_built(claim: Claim | None) -> bool:
    """Whether a constructor has made it on the CPU, or was given it."""
    return isinstance(claim, Made) and claim.is_built


@contextmanager
def shifted() -> Iterator[None]:
    """What is carried is on CUDA until the block ends."""
    PHASE.call += 1
    PHASE.births.clear()
    PHASE.is_shifted = True
    try:
        yield
    finally:
        PHASE.is_shifted = False


@contextmanager
def constructing() -> Iterator[None]:
    """What is made on the CPU until the block ends is made by a constructor."""
    PHASE.constructors += 1
    try:
        yield
    finally:
        PHASE.constructors -= 1


@contextmanager
def noted_moves() -> Iterator[list[tuple[Any, Any]]]:
    """Yield the tensors that are moved in the block, each with its copy."""
    before, PHASE.moves = PHASE.moves, []
    try:
        yield PHASE.moves
    finally:
        PHASE.moves = before


@contextmanager
def refined_claims() -> Iterator[None]:
    """New claims know in which phase they were made, until the block ends."""
    tag.refine_claims(_refined)
    PHASE.is_used = True
    try:
        yield
    finally:
        PHASE.is_used = False
        tag.refine_claims(None)


def carry(tensor: Any, device: Any) -> Any:
    """The tensor itself, on `device` during shifted calls; so is all that shares its memory."""
    if isinstance(tensor, FakeTensor) or tag.real_device(tensor) != CPU:
        return tensor
    for part in (*tag.inner_tensors(tensor), *_components(tensor)):
        carry(part, device)
    holder = tag.holder(tensor)
    claim = tag.storage_claim(holder)
    if not isinstance(claim, Carried):
        tag.claim_storage(holder, _carried(claim or Claim(CPU, ()), device))
    if tensor.is_leaf and tensor.grad is not None:
        carry(tensor.grad, device)
    return tensor


def is_carried(tensor: Any) -> bool:
    return isinstance(tag.claim_of(tensor), Carried)


def leave(tensor: Any) -> None:
    """Note that the move of what holds a tensor has left it where it is."""
    holder = tag.holder(tensor)
    if tag.storage_claim(holder) is None:
        tag.claim_storage(holder, Claim(tag.real_device(tensor), ()))
    tag.storage_claim(holder).is_left = True  # type: ignore[union-attr]


def note_given(tensor: Any) -> None:
    """A tensor on the CPU is given to a constructor."""
    holder = tag.holder(tensor)
    claim = tag.storage_claim(holder) or Claim(CPU, ())
    if type(claim) is Claim and claim.device == CPU:
        tag.claim_storage(holder, Made.of(claim, is_built=True))


def _components(tensor: Any) -> list[Any]:
    """What a sparse tensor consists of."""
    with torch.no_grad():
        return [getattr(tensor, name)() for name in _COMPONENTS.get(tensor.layout, ())]


_ROWS, _COLUMNS = ("crow_indices", "col_indices"), ("ccol_indices", "row_indices")
_COMPONENTS = {
    torch.sparse_coo: ("_indices", "_values"),
    torch.sparse_csr: (*_ROWS, "values"),
    torch.sparse_bsr: (*_ROWS, "values"),
    torch.sparse_csc: (*_COLUMNS, "values"),
    torch.sparse_bsc: (*_COLUMNS, "values"),
}


def _refined(claim: Claim, sources: Sequence[Claim | None]) -> Claim:
    """What is made of carried tensors between shifted calls is carried as well."""
    if type(claim) is not Claim:
        return claim
    if PHASE.is_shifted and claim.device != CPU:
        return _carried(claim, claim.device)
    if not PHASE.is_shifted:
        source = next((each for each in sources if isinstance(each, Carried)), None)
        if source and not PHASE.constructors:
            return _carried(claim, _there(source))
    if PHASE.is_shifted or PHASE.constructors:
        return Made.of(claim, is_built=PHASE.constructors > 0)
    return claim


def _carried(claim: Claim, device: Any) -> Carried:
    return Carried(device, claim.birth, claim.roots, claim.is_open)
