"""Tensors that are made NumPy arrays, by themselves or by a function they are given to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from devlint.facts.effect import Exports, MakesArray
from devlint.facts.signature import signature
from devlint.interpret.core.batches import is_batch
from devlint.interpret.core.call import Argument, Arguments, Call
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.object_ids import Child
from devlint.interpret.core.signals import Exported
from devlint.interpret.tensors.dimensions import of_data, of_sizes
from devlint.interpret.tensors.indexing import indices
from devlint.lower import ir
from devlint.queries.name_conventions import source_name
from devlint.queries.tensor_evidence import has_slice
from devlint.values.device import UNKNOWN, Like
from devlint.values.dimensions import ARRAY, UNRANKED
from devlint.values.value import Kind, Value


def exports(run: Run, fact: Exports, call: Call) -> Value:
    """What `x.numpy()` or `np.array(x)` gives: of one tensor, an array with its dimensions."""
    arguments = call.arguments
    given = list(converted(fact, arguments))
    if fact.of == "self" and is_whole(arguments.positional[0].value):
        return Value(Kind.ARRAY)
    if not is_forced(fact, arguments):
        for argument in given:
            run.publish(Exported(call.node, fact, argument))
        if fact.of == "self":
            release(run, arguments.positional[0])
    if fact.reduces:
        is_number = len([*arguments]) == 1 and not arguments.is_open
        return Value(Kind.NUMBER if is_number else Kind.ARRAY)
    is_one = len(given) == 1
    dimensions = of_data(given[0], given[0].value) if is_one else UNRANKED
    return Value(Kind.ARRAY, dimensions=dimensions)


#: What draws make of what they draw from, and arrays of what they are filled with.
DRAWN = Exports("a")


def makes(run: Run, fact: MakesArray, call: Call) -> Value:
    """A new array, or a number; of what it is drawn from an array is made, too."""
    arguments = call.arguments
    bound = arguments.bound(signature(fact.signature))
    for parameter, argument in bound:
        if parameter.is_operand:
            run.publish(Exported(call.node, DRAWN, argument))
    sizes = [each for to, each in bound if to.name in ("shape", "size")]
    if not fact.needs_size:
        return Value(Kind.ARRAY, dimensions=ARRAY)
    if not sizes and not arguments.is_open:
        return Value(Kind.NUMBER)
    return Value(Kind.ARRAY, dimensions=of_sizes(run, sizes, arguments.rest, ARRAY))


def stores(run: Run, target: ir.Subscript, array: Value, index: Value, given: Argument) -> None:
    """`a[i] = x` takes the number of a tensor for one item; a row or a slice takes an array of it.
    (What has dimensions itself has met the array by then.)"""
    if array.kind is not Kind.ARRAY or given.value.is_scalar is False:
        return
    parts = [part for _, part in indices(run, target.index, index)]
    # What nothing is known of is hardly ever the indices of one item, all in one.
    are_single = all(part.is_number or part.kind in (Kind.UNKNOWN, Kind.ARRAY) for part in parts)
    is_row = are_single and len(parts) < array.dimensions.least
    if is_row or has_slice(target.index):
        run.publish(Exported(target, DRAWN, given))


def is_whole(value: Value) -> bool:
    """Whether it is a batch as a loader gives it: as it has `numpy`, that is a tensor, and no
    object that has moved in place."""
    return is_batch(value) and not isinstance(value.ref, Child)


def is_forced(fact: Exports, arguments: Arguments) -> bool:
    """`x.numpy(force=True)` moves by itself."""
    force = arguments.get(1, "force") if fact.of == "self" else None
    return force is not None and force.value.payload is not False


def converted(fact: Exports, arguments: Arguments) -> Iterator[Argument]:
    bound = arguments.bound(signature(fact.signature))
    return (argument for parameter, argument in bound if parameter.is_operand)


def release(run: Run, receiver: Argument) -> None:
    """`x.numpy()` raises but on the CPU: an argument that it is called for is meant to be there,
    and no longer on a device of which the caller alone knows."""
    name = source_name(receiver.node)
    value = run.lookup(name) if name in run.frame.names else None
    is_given = any(isinstance(atom, Like) for atom in receiver.value.device.atoms)
    if value is not None and is_given and value.device == receiver.value.device:
        run.bind(name, replace(value, device=UNKNOWN))
