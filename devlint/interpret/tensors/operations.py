"""Operations on tensors: whose devices meet, and where the result is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations, permutations

from devlint.event import Combine, Operand
from devlint.facts.dimensions import Rank
from devlint.facts.effect import Agrees, Fact, Pointwise
from devlint.interpret.core import batches
from devlint.interpret.core.heap import Lattice
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.object_ids import Child
from devlint.interpret.core.signals import Combined, Meeting
from devlint.interpret.core.views import Symbol
from devlint.interpret.tensors.certain_tensors import (
    is_certain_tensor,
    is_moved_tensor,
    is_of_model,
)
from devlint.interpret.tensors.dimensions import of_operands
from devlint.lower import ir
from devlint.queries.name_conventions import source_name, written
from devlint.values.condition import SILENT, Condition
from devlint.values.device import ON_CPU, UNKNOWN, Chosen, Device, Like, choice
from devlint.values.dimensions import ARRAY, UNRANKED, Dimensions, broadcast
from devlint.values.instance import ItemKey
from devlint.values.origin import Origin
from devlint.values.source import Factory
from devlint.values.tags import Apart, Empty
from devlint.values.value import NOTHING, Kind, Value, as_device

Pair = tuple[ir.Expression, Value]


def is_tensor(value: Value) -> bool:
    """Whether a value takes part in an operation, as far as devices go."""
    return value.kind is Kind.TENSOR or (
        value.kind is Kind.UNKNOWN and value.device.is_partly_known
    )


def takes_part(machine: Run, value: Value) -> bool:
    """Whether a value takes part in an operation on tensors and numbers: what something that was
    loaded, rather than moved, to an accelerator holds under a name may be a number."""
    key = value.ref.key if isinstance(value.ref, Child) else None
    is_named = isinstance(key, ItemKey) and isinstance(key.at, str)
    is_loaded = is_named and value.device.is_accelerator and not is_of_model(value)
    if value.kind is not Kind.UNKNOWN or not is_loaded:
        return is_tensor(value)
    return machine.instance(value.ref).move is not None


def chosen_as(device: Device, text: str) -> Device:
    """A device chosen at run time, by the name the program has for it."""
    if any(atom.__class__ is Chosen for atom in device.atoms):
        return replace(device, atoms=device.atoms - {Chosen("")} | {Chosen(text)})
    return device


def operated(
    machine: Run,
    node: ir.Node,
    op: str,
    fact: Fact,
    operands: list[Pair],
    *,
    in_place: bool = False,
) -> Value:
    """An operator applied to two values; in place, the first is no 0-dim guest."""
    if not any(takes_part(machine, value) for _, value in operands):
        return of_arrays([value for _, value in operands])
    operands = [(node, found(machine, value)) for node, value in operands]
    find_tensors(machine, operands)
    kinds = {value.kind for _, value in operands}
    if Kind.ARRAY in kinds and Kind.TENSOR not in kinds:
        return Value(Kind.ARRAY)
    if Kind.ARRAY in kinds:
        for one, other in permutations(operands, 2):
            meet_array(machine, node, op, one, other)
    is_pointwise = isinstance(fact, Pointwise)
    if is_pointwise and any(value.is_scalar for _, value in operands):
        operands = [(node, unranked(value)) for node, value in operands]
    met = [
        operand(pair, is_pointwise and not (in_place and index == 0))
        for index, pair in enumerate(operands)
        if takes_part(machine, pair[1])
    ]
    rank = fact.rank if isinstance(fact, (Pointwise, Agrees)) else Rank.UNKNOWN
    whole = combined(machine, node, op, met, rank)
    if isinstance(fact, Agrees):
        whole = replace(whole, kind=Kind.TENSOR)
    others = [v for _, v in operands if v.kind is Kind.UNKNOWN and not takes_part(machine, v)]
    if others:
        whole = replace(whole, dimensions=whole.dimensions.join(ARRAY))
    if others and are_guests(met):
        whole = replace(whole, device=UNKNOWN, origin=None)
    return replace(operands[0][1], dimensions=whole.dimensions) if in_place else whole


def meet_array(machine: Run, node: ir.Node, op: str, whole: Pair, given: Pair) -> None:
    """An array of more than one number meets a tensor of as many, or is filled or indexed with it,
    and makes an array of that."""
    if whole[1].kind is not Kind.ARRAY or given[1].kind is not Kind.TENSOR:
        return
    if whole[1].is_scalar is False and given[1].is_scalar is False:
        here = Origin(whole[0], "a NumPy array, on the CPU", machine.frame.path)
        array = replace(whole[1], kind=Kind.TENSOR, device=ON_CPU, origin=here)
        met = [operand(pair, may_be_scalar=False) for pair in (given, (whole[0], array))]
        combined(machine, node, op, met, Rank.SAME)


def of_arrays(values: list[Value]) -> Value:
    """An operator applied to arrays, numbers, and what may be either."""
    if all(value.kind in (Kind.CONSTANT, Kind.NUMBER) for value in values):
        return Value(Kind.NUMBER)
    arrays = [value.dimensions for value in values if value.kind is Kind.ARRAY]
    others = [UNRANKED for value in values if value.kind is Kind.UNKNOWN]
    return Value(Kind.ARRAY, dimensions=broadcast([*arrays, *others])) if arrays else NOTHING


def found(machine: Run, value: Value) -> Value:
    """What was moved as a whole, or a model gives, and is computed with, is a tensor."""
    if value.tag(Empty):
        return filled(value)
    is_one = is_of_model(value) or is_moved_tensor(machine, value)
    is_found = value.kind is Kind.UNKNOWN and is_one
    return replace(value, kind=Kind.TENSOR) if is_found else value


def unranked(value: Value) -> Value:
    """What a 0-dim tensor, such as a loss, is scaled by, if it may be a number on each path."""
    is_one = value.kind is Kind.TENSOR or value.device.test is not None
    return value if is_one else replace(value, dimensions=UNRANKED)


def filled(value: Value) -> Value:
    """What was made without elements is another tensor by the time it is computed with."""
    if value.tag(Empty) is None:
        return value
    return replace(value, device=UNKNOWN, origin=None).untagged(Empty)


def find_tensors(machine: Run, operands: list[Pair]) -> None:
    """What a tensor is added to, or multiplied by, is one as well, or a number: no module."""
    if any(value.kind is Kind.TENSOR for _, value in operands):
        machine.tensors.update(value.ref for _, value in operands if value.kind is Kind.UNKNOWN)


def are_guests(operands: list[Operand]) -> bool:
    """Whether all operands go where others are."""
    return all(o.is_exempt and o.value.device.is_cpu for o in operands)


def operand(pair: Pair, may_be_scalar: bool) -> Operand:
    """`may_be_scalar`: a 0-dim CPU tensor is accepted, and what may be one is let pass."""
    node, value = pair
    is_exempt = may_be_scalar and value.is_scalar is not False
    return Operand(node, written(node), value, is_exempt)


def located(machine: Run, operand: Operand) -> Operand:
    """An operand by whether it is what a variable of the program has."""
    name = source_name(operand.node)
    if not name or name in machine.frame.names or machine.frame is machine.top:
        return operand
    held = machine.here().get((machine.top, name))
    return operand if held is None or is_library(held) else replace(operand, is_global=True)


def is_library(held: Lattice) -> bool:
    """Whether a name stands for a library, or for what one has."""
    if not isinstance(held, Value) or held.kind is not Kind.IMPORTED:
        return False
    return not isinstance(held.payload, Symbol)


def has_raised(values: Iterable[Value]) -> bool:
    """Whether one of them never comes to be."""
    return any(each.tag(Apart) is not None for each in values)


def combined(
    machine: Run,
    node: ir.Node,
    op: str,
    operands: list[Operand],
    rank: Rank,
) -> Value:
    """Let operands meet; the result is where they agree to be."""
    dimensions = of_operands(rank, [each.value.dimensions for each in operands])
    if len(operands) > 1:
        found = tuple(located(machine, each) for each in operands)
        machine.emit(Combine(node, op, found, machine.call, machine.frame.path))
        machine.publish(Meeting(node, op, operands, operands))
        if not all(one.may_meet(other) for one, other in combinations(operands, 2)):
            for each in operands:
                batches.clashed(machine, each.value)
            apart = Value(Kind.TENSOR, dimensions=dimensions, tags=(Apart(),))
            return machine.revise(Combined(apart, node, op, operands))
    if has_raised(each.value for each in operands):
        return Value(Kind.TENSOR, dimensions=dimensions, tags=(Apart(),))
    result, where = result_of(machine, operands, dimensions)
    return machine.revise(Combined(result, node, op, operands, where))


def result_of(
    machine: Run, operands: list[Operand], dimensions: Dimensions
) -> tuple[Value, Operand | None]:
    """The result, and which operand it is with; on each path of its own where only a test tells."""
    known = [o for o in operands if o.value.device.is_known]
    is_open = len(known) < len(operands) and are_guests(known)
    where = None if is_open else agreed(deciding(machine, operands))
    test = deciding_test(operands)
    if test is not None and (where is None or is_number_perhaps(machine, where)):
        then, orelse = (
            result_of(machine, [each.given(test, truth) for each in operands], dimensions)[0]
            for truth in (True, False)
        )
        return then.join(orelse, test), None
    kind = Kind.TENSOR if any(o.value.kind is Kind.TENSOR for o in operands) else Kind.UNKNOWN
    if where is None:
        return Value(kind, UNKNOWN, dimensions=dimensions), None
    return Value(kind, where.value.device, dimensions, origin=where.value.origin), where


def deciding_test(operands: Iterable[Operand]) -> Condition | None:
    """A test that says nothing of devices, and tells where an operand is on one of its paths."""
    tests = (each.value.device.test for each in operands if not each.value.device.is_known)
    return next((each for each in tests if each is not None and each.senses == SILENT), None)


def deciding(machine: Run, operands: list[Operand]) -> list[Operand]:
    """The operands that say where the result is: beside a tensor, none that may be a plain number.

    A 0-dim tensor is with the other operand if that is no number, so that nothing decides there.
    """
    elsewhere = [o for o in operands if is_elsewhere(o.value)]
    if len(operands) < 2 or not elsewhere:
        return operands
    if any(is_number_perhaps(machine, operand) for operand in operands):
        return [o for o in elsewhere if o.value.is_scalar is False]
    return operands


def is_number_perhaps(machine: Run, operand: Operand) -> bool:
    is_open = operand.is_exempt or (operand.may_be_number and not operand.is_tensor)
    is_given = is_open and unconditional(operand.value.device)
    return is_given and not is_certain_tensor(machine, operand)


def is_elsewhere(value: Value) -> bool:
    is_near = any(isinstance(atom, Like) for atom in value.device.atoms)
    is_tensor = value.kind is Kind.TENSOR or isinstance(value.source, Factory)
    return is_tensor and not is_near and not value.device.may_accelerate


def agreed(operands: list[Operand]) -> Operand | None:
    """The operand that the result is with: one that is no 0-dim guest, an accelerator first."""
    known = [o for o in operands if o.value.device.is_known]
    hosts = [o for o in known if not o.is_exempt] or known
    for wanted in (accelerated, unconditional):
        for host in hosts + known:
            if wanted(host.value.device):
                return host
    return hosts[0] if hosts else None


def accelerated(device: Device) -> bool:
    return device.is_accelerator


def unconditional(device: Device) -> bool:
    return any(isinstance(atom, Like) for atom in device.atoms)


def follow(value: Value, dimensions: Dimensions) -> Value:
    """The result of an operation on one tensor."""
    kind = Kind.TENSOR if value.kind in (Kind.TENSOR, Kind.CONTAINER) else Kind.UNKNOWN
    kept = tuple(tag for tag in value.tags if isinstance(tag, (Apart, Empty)))
    return Value(kind, value.device, dimensions, origin=value.origin, tags=kept)


def given_or(values: Sequence[Value]) -> Device | None:
    """Of `os.environ.get("DEVICE") or "cuda"`: what is given names a device, too."""
    default = as_device(values[-1])
    is_given = all(each.kind is Kind.UNKNOWN and not each.device.is_known for each in values[:-1])
    if not is_given or default is None or not default.may_accelerate:
        return None
    return choice(default, default, None)
