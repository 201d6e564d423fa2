"""A call of a function in view: its frame, its parameters, and what it leaves."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from devlint.flow.state import State, is_of
from devlint.interpret.calls.symbolic_arguments import as_taken, symbol
from devlint.interpret.conditions import options
from devlint.interpret.conditions.ways_out import (
    Parted,
    by_tests,
    decided_in_all,
    parting,
    ways_out,
)
from devlint.interpret.core.call import Argument, Arguments
from devlint.interpret.core.containers import container, item, joined, never_comes, numbered
from devlint.interpret.core.definitions import MANAGERS, is_decorated, kept_default
from devlint.interpret.core.heap import DEFAULT, Lattice, Paused, rest_of
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.scopes import Frame, Function
from devlint.interpret.core.signals import Defaulted
from devlint.interpret.objects import inferred_batches
from devlint.interpret.tensors import dimensions, external_results
from devlint.lower import ir
from devlint.values.condition import Condition
from devlint.values.instance import ANY, ItemKey, Present
from devlint.values.origin import Origin
from devlint.values.source import ByParameter
from devlint.values.value import NEVER, NOTHING, Kind, Value, as_device


class Outcome(NamedTuple):
    """What a call gives, what it wrote that its caller can see, and how tests came out on all ways
    that lead back there."""

    value: Value
    written: dict[Hashable, Lattice]
    decided: Sequence[tuple[Condition, bool]] = ()


def run(
    machine: Run,
    function: Function,
    arguments: Arguments,
    receiver: Value | None,
    path: tuple[ir.Node, ...],
) -> Outcome:
    """Interpret a call."""
    caller, before, departures = machine.frame, machine.here(), machine.departures
    loops, finals = machine.loops, machine.finals
    machine.loops, machine.finals = [], []
    frame = new_frame(machine, function, receiver or first_value(function, arguments), path)
    machine.state = before.fork()
    bind(machine, function, frame, arguments, receiver)
    machine.frame = frame
    machine.activations.append(function)
    value, parted = body_value(machine, function, frame, before)
    machine.finish(frame)
    machine.activations.pop()
    machine.frame, machine.loops, machine.finals = caller, loops, finals
    del machine.departed[departures:]
    ends = [state for state, _ in frame.ends]
    has_closures = frame.is_used_later or any(isinstance(e, Function) for e in frame.defined)
    # What holds its frame, and is held by it, would only die by garbage collection.
    frame.ends.clear()
    frame.defined.clear()
    frame.since.clear()
    machine.state = before
    if not ends:
        return Outcome(NOTHING, {})
    given = [argument.value for argument in arguments]
    in_all = decided_in_all(before, ends, given)
    written = leave(machine, before, ends, None if has_closures else frame, parted)
    return Outcome(value, written, in_all)


def leave(
    machine: Run,
    before: State[Any],
    ends: list[State[Any]],
    local: Frame | None,
    parted: Parted | None,
) -> dict[Hashable, Lattice]:
    """Take over what a call wrote, but for the names of its frame, if none of its closures uses
    them."""
    merged = before.fork()
    test, is_first = parted or (None, True)
    if test is None:
        merged.absorb(ends, since=before, local=local)
        written = merged.cells
    else:
        machine.join(merged, ends if is_first else ends[::-1], before, test)
        written = {key: cell for key, cell in merged.cells.items() if not is_of(key, local)}
    before.cells.update(written)
    return written


def new_frame(
    machine: Run, function: Function, receiver: Value | None, path: tuple[ir.Node, ...]
) -> Frame:
    owner = function.owner
    layer = machine.frame.layer if owner is None else owner if owner.is_module else None
    return Frame(
        parent=function.frame,
        path=path,
        receiver=receiver,
        owner=owner,
        layer=layer,
    )


def first_value(function: Function, arguments: Arguments) -> Value | None:
    """`Base.__init__(self)` gives the receiver by position; closures have that of their method."""
    if not function.is_method:
        return function.frame.receiver
    if not arguments.positional:
        return None
    return arguments.positional[0].value


def body_value(
    machine: Run, function: Function, frame: Frame, before: State[Any]
) -> tuple[Value, Parted | None]:
    """Run the body; what it returns, or the items that it yields, and what parts its ways out."""
    if isinstance(function.node, ir.Lambda):
        value = machine.evaluate(function.node.body)
        frame.ends.append((machine.here(), value))
        return value, None
    if function.node.has_yield:
        frame.yields = container(machine, function.node, {})
    machine.run(function.node.body)
    values = [returned(machine, *end) for end in frame.ends]
    if machine.state is not None:
        frame.ends.append((machine.state, NOTHING))
    default = None if frame.paused is None else frame.paused.get(DEFAULT)
    rest: dict[Hashable, Lattice] = {}
    if frame.paused is not None and is_decorated(function, MANAGERS):
        rest = rest_of(frame, before)
        frame.ends[:] = [(frame.paused, NOTHING)]
    elif frame.paused is not None and not frame.ends:
        frame.ends.append((frame.paused, NOTHING))
    is_generator, frame.paused = frame.paused is not None, None
    ways = ways_out(before, [state for state, _ in frame.ends])
    parted = parting(ways)
    if is_generator and frame.yields is not None and frame.ends:
        is_told = isinstance(default, Value) or bool(rest)
        tags = (Paused(default, rest),) if is_told else ()
        return replace(frame.yields, tags=tags), parted
    return by_tests(list(zip(ways, values, strict=False))), parted


def returned(machine: Run, state: State[Any], value: Value) -> Value:
    """What a return gives; of a container of what the function itself gives, nothing new."""
    if value.kind is not Kind.CONTAINER:
        return value
    outer, machine.state = machine.state, state
    is_own = never_comes(machine, value)
    machine.state = outer
    return NEVER if is_own else value


def takes(function: Function, arguments: Arguments, receiver: Value | None) -> bool:
    """Whether a function has a parameter for each argument that a call surely has, and the call an
    argument for each that needs one: it raises otherwise. Decorators may change that."""
    node = function.node
    if isinstance(node, ir.Def) and node.decorators and not is_static(function):
        return True
    kinds = [parameter.kind for parameter in node.params]
    places = kinds.count("plain") + kinds.count("positional")
    is_bound = receiver is not None and not is_static(function)
    count = len(arguments.positional) + is_bound
    if ("*" not in kinds and count > places) or lacks_one(node.params[count:], arguments):
        return False
    sure = {name for name, each in arguments.keywords.items() if each.value.tag(Present) is None}
    return "**" in kinds or sure <= {each.name for each in node.params}


def lacks_one(parameters: Sequence[ir.Parameter], arguments: Arguments) -> bool:
    """Whether a call has no argument for one of the parameters behind those that it gives by their
    places, which has no default."""
    is_spread = arguments.rest or arguments.mapped or arguments.is_open
    needed = (each for each in parameters if each.kind not in ("*", "**") and not each.default)
    return not is_spread and any(each.spelling not in arguments.keywords for each in needed)


def bind(
    machine: Run,
    function: Function,
    frame: Frame,
    arguments: Arguments,
    receiver: Value | None,
) -> None:
    """Bind parameters to arguments; a default is what it was where the function was defined."""
    positional = [argument.value for argument in arguments.positional]
    if receiver is not None and not is_static(function):
        positional.insert(0, receiver)
    keywords = {name: each.value.untagged(Present) for name, each in arguments.keywords.items()}
    for parameter in function.node.params:
        value = NOTHING
        if parameter.spelling in keywords:
            value = keywords.pop(parameter.spelling)
        elif parameter.kind == "*":
            items = numbered(positional, (argument.value for argument in arguments.rest))
            value, positional = container(machine, parameter, items), []
        elif parameter.kind == "**":
            rest = {ANY: NOTHING} if arguments.is_open else {}
            given = {ItemKey(name): each for name, each in keywords.items()}
            value = container(machine, parameter, {**given, **rest})
        elif positional and parameter.kind != "keyword":
            value = positional.pop(0)
        elif (found := spread(machine, function, arguments, parameter)) is not None:
            value = found
        elif parameter.default is not None and not arguments.is_open:
            call = frame.path[-1]
            value = default(machine, function, parameter, call)
            machine.publish(Defaulted(call, function.node, parameter, value, arguments))
        elif is_number(parameter.default):
            value = Value(Kind.NUMBER)
        frame.names.add(parameter.name)
        value = as_taken(machine, function.node, parameter, value)
        value = inferred_batches.given(machine, function, parameter, value)
        if value.kind is Kind.TENSOR and not value.device.is_like:
            before = machine.notes.taken.get(parameter, True)
            machine.notes.taken[parameter] = before and value.device.may_accelerate
        told = dimensions.shown(machine, function.node, function, parameter.name, value)
        machine.here().put((frame, parameter.name), told)


def is_number(default: ir.Expression | None) -> bool:
    """Whether a parameter takes a number if nothing else, and so hardly ever anything else."""
    return isinstance(default, ir.Constant) and type(default.value) in (int, float)


def spread(
    machine: Run, function: Function, arguments: Arguments, parameter: ir.Parameter
) -> Value | None:
    """What a parameter takes of `*batch` or `**batch`: one with a default may be left out of it,
    unless that is None; of what callers out of view give by name, whatever they do."""
    default = parameter.default
    if default is not None and not (isinstance(default, ir.Constant) and default.value is None):
        return None
    if arguments.rest and parameter.kind != "keyword":
        return joined(each.value for each in arguments.rest)
    if all(external_results.is_handed_on(each.value) for each in arguments.mapped):
        is_left_out = default is None or not arguments.mapped
        return None if is_left_out else symbol(machine, function.node, parameter)
    return joined(item(machine, a.value, parameter.spelling, a.node) for a in arguments.mapped)


def default(machine: Run, function: Function, parameter: ir.Parameter, call: ir.Node) -> Value:
    """What a parameter takes that a call leaves out."""
    if parameter.default is None:
        return NOTHING
    caller, machine.frame = machine.frame, function.frame
    value = kept_default(machine, parameter)
    if value is None:
        value = machine.evaluate(parameter.default)
    value = options.handed(machine, Argument(parameter.default, value)).value
    machine.frame = caller
    device = as_device(value)
    if device is not None and device.is_cpu and isinstance(call, ir.Call):
        origin = Origin(parameter, "the default", source=ByParameter(call, parameter))
        return replace(value, origin=origin)
    return value


def is_static(function: Function) -> bool:
    return function.owner is None or is_decorated(function, {"staticmethod"})
