"""Operations on tensors: what meets, and what is drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import ClassVar

from devlint.lower import ir
from devlint.values.condition import SILENT, Condition
from devlint.values.device import Device
from devlint.values.origin import Origin
from devlint.values.several_accelerators import are_parted
from devlint.values.tags import Tag
from devlint.values.value import PARAMETER, Kind, Value

#: A name that is longer is not worth reading.
LONGEST = 60


def brings(call: ir.Node, is_own: bool) -> bool:
    """Whether it is a call that hands something in: arguments, or `is_own`, an object with what it
    was given where the call is. `main()` does not, nor does a round of a comprehension."""
    if not isinstance(call, ir.Call) or call.args or call.keywords:
        return not isinstance(call, ir.Comprehension)
    return is_own and not isinstance(call.func, ir.Name)


@dataclass(slots=True, eq=False)
class Operand:
    """`is_exempt`: legal here on any device, as a 0-dim CPU tensor is in pointwise arithmetic.

    `may_be_number`: a number does as well here, though not a 0-dim CPU tensor.
    `role`: what it is to the operation, if that is not data: the `weight` of a loss, a `table`.
    `is_item`: it is one of several things in what the node gives.
    `is_global`: no call brings it to the function, which reads a variable of the program.
    """

    node: ir.Expression
    name: str
    value: Value
    is_exempt: bool = False
    role: str = ""
    is_item: bool = False
    may_be_number: bool = False
    is_global: bool = False

    @property
    def is_tensor(self) -> bool:
        """Whether it is a tensor, by what is known of it or because nothing else does here."""
        is_told = not (self.is_exempt or self.may_be_number)
        return is_told or self.value.kind is Kind.TENSOR

    @property
    def is_legible(self) -> bool:
        """Whether its name says more to a reader than its place does."""
        return bool(self.name.strip(".")) and len(self.name) <= LONGEST

    def told(self, otherwise: str) -> str:
        """Its name in a message, or what else to call it."""
        name = f"`{self.name}`" if self.is_legible else otherwise
        return f"an item of {name}" if self.is_item else name

    def handed_in(self, path: Sequence[ir.Node]) -> ir.Call | None:
        """Of the calls that led to a place, the one that brought the operand there from where it
        was made; None where it was made in the function that the place is in, or by another one,
        such as a library that gives it to the function.

        What a module consists of was made where the module was, not by who calls a method that
        nobody in view calls.
        """
        origin = self.value.origin
        if origin is None or origin.path is None:
            return None
        pairs = zip(origin.path, path, strict=False)
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1], pairs))
        if shared < len(origin.path) and not self.is_state:
            return None
        is_own = shared >= len(origin.path) - self.is_state
        steps = [each for each in path[shared:] if not (self.is_state and isinstance(each, ir.Def))]
        call = next((each for each in steps if brings(each, is_own)), None)
        return call if isinstance(call, ir.Call) and call is not origin.node else None

    @property
    def is_state(self) -> bool:
        """Whether it is a module, a parameter of one, or computed of such."""
        value, origin = self.value, self.value.origin
        is_own = value.kind is Kind.MODULE or value.payload == PARAMETER
        return is_own or (origin is not None and origin.is_state)

    def may_meet(self, other: Operand) -> bool:
        """Whether some run accepts both in one operation."""
        for guest in (self, other):
            if guest.is_exempt and not guest.value.device.may_accelerate:
                return True
        return not self.value.device.excludes(other.value.device)

    def is_parted_from(self, other: Operand) -> bool:
        """Whether they are on different accelerators where there are several."""
        return are_parted(self.value.device, other.value.device)

    def given(self, test: Condition, truth: bool) -> Operand:
        """The same where a test has come out so."""
        return replace(self, value=self.value.given(test, truth))


def on_paths(operand: Operand, *others: Operand) -> Iterator[tuple[Operand, ...]]:
    """An operand, and what it meets, as they are, and on each path where tests tell of the first
    that say nothing of devices."""
    yield operand, *others
    device = operand.value.device
    if device.test is not None and not device.is_chosen and device.test.senses == SILENT:
        for truth in (True, False):
            yield from on_paths(*(e.given(device.test, truth) for e in (operand, *others)))


def origins(
    operands: Iterable[Operand], told: Callable[[Operand], str]
) -> tuple[tuple[ir.Node, str], ...]:
    """Where operands came to their devices, in the order of time, and what is told of them."""
    known = [(each.value.origin, told(each)) for each in operands if each.value.origin is not None]
    known.sort(key=lambda each: each[0].order)
    return tuple((origin.node, f"{name}: {origin.text}") for origin, name in known)


@dataclass(frozen=True, slots=True, eq=False)
class Combine:
    """An operation whose operands have to share a device.

    `call` is the outermost call of a module in view that it happens in, `path` are all calls that
    led there.
    """

    is_failure: ClassVar[bool] = True

    node: ir.Node
    operation: str
    operands: tuple[Operand, ...]
    call: ir.Node | None = None
    path: tuple[ir.Node, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Sample(Tag):
    """A random draw on `device`, from a generator that has to be on the same one.

    `layer` is the module class whose method draws, if one does. `path` are the calls that led
    there.
    """

    is_failure: ClassVar[bool] = True

    node: ir.Node
    operation: str
    generator: Operand
    device: Device
    origin: Origin | None
    layer: str | None
    path: tuple[ir.Node, ...]
