"""Checkpoints: what is written from which device, and what is read back to where."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace

from devlint.event import Checkpoints, Load, Save
from devlint.facts.effect import Loads, Saves
from devlint.facts.signature import signature
from devlint.flow.state import Cell
from devlint.interpret.core import device_expressions, module_state
from devlint.interpret.core.call import Argument, Arguments, Call
from devlint.interpret.core.expression_keys import key_of
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.object_ids import Child, Loaded
from devlint.interpret.objects.temporary_files import TEMPORARY, is_temporary
from devlint.interpret.tensors import transfers
from devlint.lower import ir
from devlint.queries import checkpoint_files
from devlint.queries.checkpoint_files import (
    are_read_by_others,
    is_spread,
    loads_as_saved,
    position,
)
from devlint.queries.dotted_names import is_path
from devlint.queries.name_conventions import source_text
from devlint.queries.placements import is_bound
from devlint.values.device import UNKNOWN, Device, Like, like
from devlint.values.origin import Origin
from devlint.values.payload import Payload
from devlint.values.value import NOTHING, Kind, Value

#: The cell of what the run did before.
PAST = "past"
#: What writes a module with all the code that it needs.
ARCHIVE = "torch.jit.save"


@dataclass(frozen=True, slots=True)
class Past(Cell):
    """The paths that the run has written on some way here, and whether it has trained."""

    written: frozenset[Hashable] = frozenset()
    has_trained: bool = False

    def join(self, other: Past, test: Hashable | None = None) -> Past:
        return Past(self.written | other.written, self.has_trained or other.has_trained)


@dataclass(frozen=True, slots=True)
class Path(Payload):
    """A key of a file: equal for the same file, as far as can be seen.

    `text` is how the program writes it, equal in different functions too.
    """

    key: Hashable
    text: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Path) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


def past(machine: Run) -> Past:
    found = machine.here().get(PAST)
    return found if isinstance(found, Past) else Past()


def trained(machine: Run) -> None:
    before = past(machine)
    if not before.has_trained:
        machine.here().put(PAST, replace(before, has_trained=True))


def path(machine: Run, argument: Argument | None) -> Path | None:
    """The file an argument names: by its path, or opened by `open(path)`."""
    if argument is None:
        return None
    if isinstance(argument.value.payload, Path):
        return argument.value.payload
    return Path(file_key(machine, argument.node), source_text(argument.node))


def file_key(machine: Run, node: ir.Expression) -> Hashable:
    """The key of a path; f-strings that begin alike, with the same values in them, are one path."""
    if isinstance(node, ir.Text):
        return ("path", node.pieces, *(key_of(machine, each) for each in node.fields))
    return key_of(machine, node)


def opened(machine: Run, arguments: Arguments) -> Value:
    file = arguments.get(0, "file")
    if file is not None and is_temporary(machine, file):
        return Value(Kind.OBJECT, payload=TEMPORARY)
    return Value(Kind.OBJECT, payload=path(machine, file))


def is_passing(machine: Run, target: Argument | None) -> bool:
    """Whether what is written is gone when the program ends: it is in memory, or temporary."""
    if target is None:
        return False
    type_ = machine.instance(target.value.ref).type
    is_in_memory = isinstance(type_, module_state.Outer) and type_.name == "BytesIO"
    return is_in_memory or is_temporary(machine, target)


def saves(machine: Run, fact: Saves, call: Call) -> Value:
    arguments = call.arguments
    node = call.node
    given = arguments.get(0, "obj") or arguments.get(0, "value")
    if given is None:
        return NOTHING
    target = arguments.get(1, "f") or arguments.get(1, "file")
    file, before = path(machine, target), past(machine)
    machine.here().put(PAST, replace(before, written=before.written | {file}))
    if is_passing(machine, target):
        return NOTHING
    device, origin = content(machine, given.value)
    is_moved = machine.instance(given.value.ref).move is not None
    is_module = module_state.is_module(machine, given.value)
    is_whole = is_module or (given.value.kind is Kind.UNKNOWN and is_moved)
    is_whole &= call.name != ARCHIVE
    if device.is_accelerator or node not in machine.notes.saves:
        states = tuple(states_in(machine, given))
        made = (node, call.name, device, origin, file, is_whole, states)
        machine.notes.saves[node] = Save(*made, scope(machine))
    return NOTHING


def states_in(machine: Run, given: Argument) -> Iterator[ir.Expression]:
    """What is written as `module.state_dict()`, or as a dict with such values."""
    items = given.node.values if isinstance(given.node, ir.Mapping) else (given.node,)
    for item in items:
        match item:
            case ir.Call(func=ir.Attribute(name="state_dict") as method, args=(), keywords=()):
                if is_path(method.value):
                    whole = machine.evaluate(method.value)
                    where = module_state.module_device(machine, whole)[0]
                    has_moved = machine.instance(whole.ref).move is not None
                    is_module = module_state.is_module(machine, whole) or has_moved
                    if is_module and where.is_accelerator:
                        yield item


def content(machine: Run, value: Value) -> tuple[Device, Origin | None]:
    """Where what is saved is: on an accelerator if any part of it is."""
    found = [
        module_state.module_device(machine, part)
        if part.kind is Kind.MODULE or is_placed(machine, part)
        else (part.device, part.origin)
        for part in module_state.parts(machine, value, set())
        if part.kind is not Kind.DEVICE
    ]
    known = [where for where in found if where[0].is_known]
    return next((w for w in known if w[0].is_accelerator), known[0] if known else (UNKNOWN, None))


def is_placed(machine: Run, part: Value) -> bool:
    """Whether a part is where its instance is: what may be a module moves in place."""
    has_moved = machine.instance(part.ref).move is not None
    return part.ref is not None and (has_moved or not part.device.is_known)


def loads(machine: Run, fact: Loads, call: Call) -> Value:
    arguments = call.arguments
    node = call.node
    mapped = map_location(fact, arguments)
    file = path(machine, next(iter(arguments.positional), None))
    before = past(machine)
    if node not in machine.notes.loads:
        machine.notes.loads[node] = Load(
            node,
            call.name,
            file,
            maps=arguments.is_open or mapped is not None,
            use=None,
            into=UNKNOWN,
            is_reload=before.has_trained or file in before.written,
            can_map=len(node.args) <= position(fact) and not is_spread(node),
            device=device_expressions.device_name(machine),
            scope=scope(machine),
            is_published=is_published(machine, fact, arguments),
            is_equipped=machine.is_equipped,
        )
    origin = Origin(node, "loaded here")
    if mapped is not None or arguments.is_open:
        device = (transfers.device_named(mapped) if mapped else None) or UNKNOWN
        return Value(device=device, ref=machine.key(node), origin=origin)
    return Value(device=like(Loaded(node), "the checkpoint"), ref=machine.key(node), origin=origin)


def scope(machine: Run) -> ir.Node | None:
    """The class whose method runs, or else the function."""
    owner = machine.frame.owner
    return machine.function if owner is None else owner.node


def is_published(machine: Run, fact: Loads, arguments: Arguments) -> bool:
    """Whether what is read comes from an address: one that is written there, or any that the
    function takes."""
    if signature(fact.signature).parameters[0].name == "url":
        return True
    file = next(iter(arguments.positional), None)
    scopes = (machine.function, machine.module)
    names = [machine.once(checkpoint_files.bound, each) for each in scopes if each is not None]
    return file is not None and checkpoint_files.is_published(file.node, names)


def map_location(fact: Loads, arguments: Arguments) -> Argument | None:
    given = arguments.get(position(fact), "map_location")
    return None if given is None or given.value.is_none else given


def reached(machine: Run, value: Value, node: ir.Node, into: Device = UNKNOWN) -> None:
    """What was loaded gets to a call, a move or a module that is `into` a device."""
    parts = module_state.parts(machine, value, set())
    for atom in {atom for part in parts for atom in part.device.possible()}:
        if isinstance(atom, Like) and isinstance(atom.source, Loaded):
            # An imported file that has run before notes its loads for itself.
            load = machine.notes.loads.get(atom.source.load)
            if load is not None and load.use is None:
                machine.notes.loads[load.node] = replace(load, use=node, into=into)


def left_as_numbers(machine: Run, value: Value) -> None:
    """All of what was loaded gets to what takes plain numbers only: no tensors are in the file."""
    if isinstance(value.ref, Child):
        return
    for atom in value.device.possible():
        if isinstance(atom, Like) and isinstance(atom.source, Loaded):
            machine.notes.loads.pop(atom.source.load, None)


def checkpoints(machine: Run, *, chooses_device: bool) -> Checkpoints:
    """All that a program has saved and loaded."""
    saves, loads = tuple(machine.notes.saves.values()), tuple(machine.notes.loads.values())
    place, is_saved = machine.home.place, any(each.device.is_accelerator for each in saves)
    is_asked = is_saved or any(not each.maps for each in loads)
    written_out = machine.once(loads_as_saved, machine.home.module) if is_saved else ()
    is_unseen = any(each not in machine.notes.loads for each in written_out)
    return Checkpoints(
        saves,
        loads,
        chooses_device,
        machine.notes.names_accelerator,
        are_read=not is_saved or place is None or is_unseen or are_read_by_others(place),
        is_of_project=place is not None and place.is_whole,
        is_bound=is_asked and place is not None and is_bound(place),
    )
