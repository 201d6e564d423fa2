"""Functions in view, called with the caller's facts."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace

from devlint.interpret.calls import memo, summaries
from devlint.interpret.calls.activation import Outcome, run, takes
from devlint.interpret.calls.given_devices import (
    is_definite,
    is_for_others,
    is_seeded,
    note_inputs,
    tells_device,
)
from devlint.interpret.calls.memo import Recall
from devlint.interpret.conditions import options
from devlint.interpret.core import class_summary, module_state
from devlint.interpret.core.call import Argument, Arguments
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.scopes import ClassInfo, Function
from devlint.interpret.core.signals import Skipped
from devlint.interpret.tensors import external_results
from devlint.lower import ir
from devlint.queries.annotations import annotated, as_declared
from devlint.queries.tensor_evidence import gives_tensors
from devlint.values.device import UNKNOWN
from devlint.values.tags import Unfollowed
from devlint.values.value import NEVER, NOTHING, Kind, Value, as_device

#: What holds others that a function may go down to.
HOLDERS = frozenset({Kind.CONTAINER, Kind.MODULE})
#: Calls nest this deep, each function is interpreted with this many distinct abstract inputs, and
#: with the same ones by this many ways to call it; what is beyond is unknown. Decided by what real
#: programs need.
DEPTH = 5
CONTEXTS = 6
WAYS = 6
#: As long as all calls of a function have run fewer statements than these, there may be more; and
#: those of the module that is looked at may nest deeper.
CHEAP = 150
DEEPEST = 10
#: A function of another file that has run more statements than these is followed this often where
#: it is given nothing on a known device: each further call would cost as much, and tell as little.
DEAR = 500
FEW = 2
#: After this many statements of one file no further call is followed.
STATEMENTS = 50_000


def invoke(
    machine: Run,
    function: Function,
    arguments: Arguments,
    node: ir.Node,
    receiver: Value | None = None,
    *,
    is_certain: bool = False,
) -> Value:
    """What a call in view gives, and what it does to the objects it gets hold of.

    A call that is looked at in another module, or has nothing to do with tensors, is left alone,
    unless it `is_certain` to matter.
    """
    arguments = options.handed_on(machine, arguments)
    if function.is_wrapped and (wrapper := wrapper_of(function)) is not None:
        arguments = with_receiver(node, receiver, arguments)
        return invoke(machine, wrapper, arguments, node, is_certain=True)
    if function.is_wrapped or not takes(function, arguments, receiver):
        open_stores(machine, receiver)
        return NOTHING
    if not is_certain and is_for_others(machine, function, arguments, receiver):
        machine.publish(Skipped(arguments, receiver))
        open_stores(machine, receiver)
        return as_told(function, skipped(machine, function, arguments))
    if is_running(machine, function) and not goes_down(machine, function, arguments):
        called_again(machine, function, arguments)
        return NEVER
    if receiver is not None and is_unused(machine, function, node):
        given = [argument.value for argument in arguments]
        summary = summaries.summary_of(machine, function, receiver, given)
        if summary is not None:
            summaries.apply(machine, summary, receiver, function, arguments)
            return NOTHING
    return followed(machine, function, arguments, node, receiver)


def wrapper_of(method: Function) -> Function | None:
    """What a decorator has put in the place of a method, if that is in view."""
    return method.owner.wrappers.get(method.node) if method.owner is not None else None


def with_receiver(node: ir.Node, receiver: Value | None, arguments: Arguments) -> Arguments:
    """The arguments of a function in the place of a method."""
    if receiver is None:
        return arguments
    first = Argument(ir.Name(node.at, "self"), receiver)
    return replace(arguments, positional=(first, *arguments.positional))


def is_running(machine: Run, function: Function) -> bool:
    """Whether a function is running already; of an inner one, what the same call defined."""
    return any(
        each.node is function.node and (each.frame is function.frame or not function.is_inner)
        for each in machine.activations
    )


def goes_down(machine: Run, function: Function, arguments: Arguments) -> bool:
    """Whether a function that runs calls itself with an item of a container, or with a child of a
    module, that it was given: the end of that is in view."""
    if machine.function is not function.node:
        return False
    bound = (machine.lookup(each.name) for each in function.node.params)
    held = (each for each in bound if each is not None and each.kind in HOLDERS)
    items = [item for each in held for _, item in machine.instance(each.ref).contents]
    return any(argument.value in items for argument in arguments)


def called_again(machine: Run, function: Function, arguments: Arguments) -> None:
    """A function that is running calls itself: with its own arguments it does what it does with
    them anyway, and with others anything."""
    own: set[Hashable] = set()
    if machine.function is function.node:
        bound = (machine.lookup(each.name) for each in function.node.params)
        own = {each.ref for each in bound if each is not None}
    module_state.escape_given(machine, arguments, but_for=own)


def followed(
    machine: Run, function: Function, arguments: Arguments, node: ir.Node, receiver: Value | None
) -> Value:
    """What a call gives that is recalled, or interpreted if a budget is left for it."""
    path = (*machine.frame.path, node)
    given = [argument.value for argument in arguments]
    if receiver is not None:
        given.append(receiver)
    key = memo.key(function, path, arguments, given)
    recalled = machine.recalled.get(key)
    if recalled and recalled.facts == memo.facts(machine, given, recalled.names):
        return memo.repeat(machine, recalled)
    inputs = memo.abstract_inputs(machine, arguments, given)
    if is_dear(machine, function, given) or not admit(machine, function, path, inputs):
        return left_out(machine, arguments, receiver)
    note_inputs(machine, function, given, path)
    is_by_program = is_of_program(machine, function)
    if is_by_program:
        machine.calling = machine.here()
    if machine.calling is not None:
        machine.called[function.node] = machine.calling
    before, outer, machine.read = machine.here(), machine.read, set()
    value, written, decided = interpreted(machine, function, arguments, receiver, path)
    value = external_results.made_of(arguments) if function.is_decorated else value
    value = as_told(function, value)
    if function.frame.parent is None and machine.loops:
        names = frozenset(machine.read)
        found = memo.facts(machine, given, names)
        machine.recalled[key] = Recall(names, found, written, value, decided)
    before.cells.update(written)
    if is_by_program:
        machine.calling, machine.state = None, before.fork()
    memo.decide(machine, decided)
    machine.read |= outer
    return value


def interpreted(
    machine: Run,
    function: Function,
    arguments: Arguments,
    receiver: Value | None,
    path: tuple[ir.Node, ...],
) -> Outcome:
    """What a call leaves; how much it runs is noted."""
    before, started = machine.here(), machine.statements
    machine.state = before.fork()
    outcome = run(machine, function, arguments, receiver, path)
    spent = machine.spent.get(function.node, 0)
    machine.spent[function.node] = spent + machine.statements - started
    machine.state = before
    return outcome


def is_of_program(machine: Run, function: Function) -> bool:
    """Whether the program itself calls a function of its own that may have to do with devices."""
    home, is_named = machine.home.frame, isinstance(function.node, ir.Def)
    return machine.frame is home is function.frame.top and is_named and is_seeded(machine, function)


def is_unused(machine: Run, function: Function, node: ir.Node) -> bool:
    """Whether nobody uses what a call gives."""
    return function.name == "__init__" or machine.is_dropped(node)


def skipped(machine: Run, function: Function, arguments: Arguments) -> Value:
    """What a call gives that is left alone: one in another file, that may have to do with
    devices."""
    if is_seeded(machine, function):
        return NOTHING
    value = external_results.made_of(arguments, is_certain=True)
    is_tensor = value.device.is_known and machine.once(gives_tensors, function.node, function)
    return replace(value, kind=Kind.TENSOR) if is_tensor else value


def left_out(machine: Run, arguments: Arguments, receiver: Value | None) -> Value:
    """A call beyond the budget may do anything to what it is given, and give anything."""
    machine.exhausted += 1
    module_state.escape_given(machine, arguments)
    open_stores(machine, receiver)
    if receiver is not None and machine.has_instance(receiver.ref):
        machine.store(receiver.ref, machine.instance(receiver.ref).tagged(Unfollowed()))
    return NOTHING.tagged(Unfollowed())


def open_stores(machine: Run, receiver: Value | None) -> None:
    """A method of an object has run unseen: what its methods assign may be elsewhere."""
    if receiver is None or not machine.has_instance(receiver.ref):
        return
    instance = machine.instance(receiver.ref)
    owner, kept = instance.type, instance.attributes
    if isinstance(owner, ClassInfo):
        stored = machine.once(class_summary.stored, owner, owner)
        opened = {name: replace(kept[name], device=UNKNOWN) for name in kept.keys() & stored}
        if opened:
            machine.store(receiver.ref, replace(instance, attributes={**kept, **opened}))


def is_dear(machine: Run, function: Function, given: Sequence[Value]) -> bool:
    """Whether a call of a function of another file would cost much and tell little more than those
    that were followed."""
    if machine.spent.get(function.node, 0) < DEAR or function.frame.top is machine.home.frame:
        return False
    followed_ways = sum(map(len, machine.contexts.get(function.node, {}).values()))
    return followed_ways >= FEW and not any(tells_device(machine, each) for each in given)


def admit(
    machine: Run, function: Function, path: tuple[ir.Node, ...], inputs: Hashable = None
) -> bool:
    """Whether a budget is left for a call that comes by a path with abstract inputs."""
    depth = len(machine.activations)
    if depth >= DEEPEST or machine.statements > STATEMENTS:
        return False
    is_cheap = machine.spent.get(function.node, 0) < CHEAP
    if depth >= DEPTH and (not is_cheap or function.frame.top is not machine.home.frame):
        return False
    contexts = machine.contexts.setdefault(function.node, {})
    definer = function.frame if function.is_inner else None
    count = sum(frame is definer for frame, _ in contexts)
    if (definer, inputs) not in contexts and count >= CONTEXTS and not is_cheap:
        return False
    ways = contexts.setdefault((definer, inputs), set())
    if path not in ways and len(ways) >= WAYS and not is_cheap:
        return False
    ways.add(path)
    return True


def as_told(function: Function, value: Value) -> Value:
    """What a function gives is a number where it says so, unless it is on a known device, or is
    known to the letter, and a tensor where it says that, and nothing else is known."""
    node = function.node
    declared = annotated(node.returns) if isinstance(node, ir.Def) else None
    if declared is None:
        return value
    is_known = value.kind is Kind.CONSTANT or as_device(value) is not None
    if is_known or is_definite(value.device) or declared.kind is not Kind.NUMBER:
        return as_declared(value, declared)
    return value if value.kind is Kind.NEVER else Value(Kind.NUMBER)
