"""Which values are certainly tensors, by what the functions that run do with them."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from devlint.event import Operand
from devlint.interpret.core.call import Argument
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.object_ids import Child
from devlint.interpret.tensors.argument_evidence import ArgumentEvidence
from devlint.lower import ir
from devlint.queries.name_conventions import written
from devlint.queries.tensor_evidence import TENSOR_WORDS, has_slice
from devlint.values.alternatives import possible_objects
from devlint.values.instance import ANY, ItemKey, Key
from devlint.values.source import Along, Batch, Output
from devlint.values.value import Kind, Value


def is_evident_tensor(machine: Run, function: ir.Def | ir.Lambda, node: ir.Expression) -> bool:
    """Whether an expression of a function is evidently a tensor, or an array, and no number."""
    if isinstance(node, ir.Binary):
        return any(is_evident_tensor(machine, function, n) for n in (node.left, node.right))
    if isinstance(node, ir.Unary):
        return is_evident_tensor(machine, function, node.operand)
    if isinstance(node, ir.Subscript):
        return has_slice(node.index) or is_evident_tensor(machine, function, node.value)
    if isinstance(node, ir.Call) and isinstance(node.func, ir.Attribute):
        return node.func.name in TENSOR_WORDS and not is_of_library(machine, node.func.value)
    return written(node) in evident_names(machine, function)


def is_of_library(machine: Run, node: ir.Expression) -> bool:
    """Whether it is a module that is imported: `np` in `np.log(x)`."""
    value = machine.lookup(node.id) if isinstance(node, ir.Name) else None
    return value is not None and value.kind is Kind.IMPORTED


def is_certain_tensor(run: Run, operand: Operand) -> bool:
    """Whether an operand is a tensor for certain, not a number."""
    if operand.is_tensor:
        return True
    running = [node for node in run.running if isinstance(node, (ir.Def, ir.Lambda))]
    if running and is_evident_tensor(run, running[-1], operand.node):
        return True
    sources = {atom.source for atom in operand.value.device.likes}
    if running and not sources.isdisjoint(inputs(run, running[-1])):
        return True
    return any(is_given(run, node, source) for node in running for source in sources)


def inputs(run: Run, function: ir.Def | ir.Lambda) -> set[Hashable]:
    """Where the input of a `forward` is that others call with what they are given themselves."""
    first = function.params[1] if len(function.params) > 1 else None
    if first is None or first.annotation is not None or not is_first_input(function, first):
        return set()
    held = run.lookup(first.name)
    return set() if held is None else {each.source for each in held.device.likes}


def is_certain_argument(run: Run, given: Argument) -> bool:
    """The same of an argument, which may be a plain number otherwise."""
    return is_certain_tensor(run, Operand(given.node, "", given.value, is_exempt=True))


def as_tensor(run: Run, node: ir.Expression, value: Value) -> Value:
    """What is evidently a tensor, comes from a model or a loader, or was moved, gives a mask where
    it is compared, no truth."""
    if value.kind is not Kind.UNKNOWN or not value.device.is_partly_known:
        return value
    is_one = (
        is_of_model(value)
        or isinstance(value.source, Batch)
        or is_moved_tensor(run, value)
        or is_certain_argument(run, Argument(node, value))
    )
    return replace(value, kind=Kind.TENSOR) if is_one else value


def are_compared(one: Value, other: Value) -> bool:
    """Whether one of two values is a tensor, or either is that rather than a number, for it is
    somewhere."""
    is_placed = one.device.is_known and other.device.is_known
    are_open = one.kind is other.kind is Kind.UNKNOWN
    return Kind.TENSOR in (one.kind, other.kind) or (is_placed and are_open)


def is_of_model(value: Value) -> bool:
    """Whether a model has given it, or what it is a part of, that is on an accelerator or is given
    itself."""
    is_there = value.device.is_accelerator or value.device.is_like
    return isinstance(value.source, Output) and is_there


def rebound(run: Run, node: ir.Assign, value: Value) -> Value:
    """`x = f(x)` gives a tensor of one, though nothing is known of `f`, if that has a name: what a
    notebook leaves to IPython is called otherwise."""
    made = node.value
    if value.kind is not Kind.UNKNOWN or not value.device.is_like:
        return value
    if not isinstance(made, ir.Call) or isinstance(made.func, ir.Call):
        return value
    names = [each.id for each in node.targets if isinstance(each, ir.Name)]
    own = [each for each in made.args if isinstance(each, ir.Name) and [each.id] == names]
    before = run.lookup(own[0].id) if own else None
    is_one = before is not None and is_certain_argument(run, Argument(own[0], before))
    return replace(value, kind=Kind.TENSOR) if is_one else value


def is_given(run: Run, function: ir.Def | ir.Lambda, source: Hashable) -> bool:
    """Whether a function has an argument that is evidently a tensor, and is the source."""
    if not isinstance(source, ir.Parameter) or source not in function.params:
        return False
    is_input = source.annotation is None and is_first_input(function, source)
    return is_input or source.name in evident_names(run, function)


def evident_names(machine: Run, function: ir.Def | ir.Lambda) -> frozenset[str]:
    return machine.once(ArgumentEvidence, machine.seeds).names(function)


def is_moved_tensor(run: Run, value: Value) -> bool:
    """Whether it is known to be a tensor, or was moved to an accelerator as a whole, and is taken
    for one: so are its items at numbers, but an attribute of it may be anything."""
    if value.kind is not Kind.UNKNOWN or not value.device.is_accelerator:
        return value.kind is Kind.TENSOR
    ref = value.ref
    while isinstance(ref, Child) and is_number(ref.key) and not is_moved(run, ref):
        ref = ref.parent
    return is_moved(run, ref)


def is_output(value: Value) -> bool:
    """Whether a model on an accelerator has given it, or it is one of several things that it has
    given at once: an attribute of those may be anything."""
    is_there = is_of_model(value) and value.device.is_accelerator
    return is_there and all(map(is_whole, possible_objects(value.ref)))


def is_whole(ref: Hashable) -> bool:
    """Whether it is of an object, or of items of it at numbers."""
    while isinstance(ref, Child) and is_number(ref.key):
        ref = ref.parent
    return ref is not None and not isinstance(ref, Child)


def is_number(key: Key) -> bool:
    return isinstance(key, ItemKey) and (key == ANY or isinstance(key.at, int))


def is_moved(run: Run, ref: Hashable) -> bool:
    """Whether an object was moved by itself, or one that it may be."""
    found = (run.instance(each) for each in possible_objects(ref) if run.has_instance(each))
    return any(m is not None and not isinstance(m.source, Along) for m in (e.move for e in found))


def is_first_input(function: ir.Node, parameter: ir.Parameter) -> bool:
    """Whether it is what a module is called with: hardly ever a number."""
    if not isinstance(function, ir.Def) or function.name != "forward":
        return False
    return function.params[1:2] == (parameter,)


def is_input(run: Run, source: Hashable) -> bool:
    """Whether it is the first argument of the `forward` of a module in view that runs."""
    functions = zip(run.running, run.owners, strict=True)
    return isinstance(source, ir.Parameter) and any(
        owner is not None and owner.is_module and is_first_input(function, source)
        for function, owner in functions
    )
