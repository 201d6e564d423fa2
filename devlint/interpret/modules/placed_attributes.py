"""Attributes that the methods of a class put on a device, by their text."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import replace
from itertools import chain, combinations

from devlint.interpret.core import module_state
from devlint.interpret.core.class_summary import assigned_elsewhere, stored_outside
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.scopes import ClassInfo
from devlint.interpret.modules.module_methods import FLUENT
from devlint.interpret.objects.container_methods import ADDS
from devlint.lower import ir
from devlint.lower.walk import by_type, walk
from devlint.queries.loop_moves import MOVES, is_move
from devlint.queries.name_conventions import is_self, source_text, words_of
from devlint.queries.placements import is_placement
from devlint.queries.tensor_evidence import parts
from devlint.values.device import like
from devlint.values.several_accelerators import are_parted
from devlint.values.source import Unmoved
from devlint.values.value import PARAMETER, Kind, Value

PLACES = MOVES | {"cpu", "to_empty"}


def placed(run: Run, owner: ClassInfo) -> frozenset[str]:
    """The attributes that the methods of a class put on a device whenever they assign or move
    them, always on the same one, and nobody anywhere else."""
    if owner.is_module:
        return frozenset()  # Whoever moves the whole moves them.
    found: dict[str, set[str | None]] = {}
    for each in owner.line:
        for name, where in run.once(placements_in, each, each):
            found.setdefault(name, set()).add(where)
    always = frozenset(n for n, places in found.items() if None not in places and len(places) == 1)
    return always and always - stored_outside(run)


def moves_part(run: Run, owner: ClassInfo, receiver: Value, ref: Hashable) -> bool:
    """Whether a method of a class moves an attribute of the receiver that refers to an object."""
    found = {place for each in owner.line for place in run.once(placements_in, each, each)}
    moved = {name for name, where in found if where is not None}
    held = run.instance(receiver.ref).attributes
    return any(held[name].ref == ref for name in moved & held.keys())


def let_others_move(run: Run, owner: ClassInfo, receiver: Value) -> None:
    """Let what an object holds be where those may move it to who have the object: nobody moves a
    module as a whole whose parts are on several accelerators."""
    place = like(receiver.ref, "self")
    if owner.is_module:
        if not is_spread(run, receiver):
            module_state.place(run, receiver, place, all_of_it=True)
        return
    held = run.instance(receiver.ref).attributes
    kept = left(run, owner, (name for name, item in held.items() if item.ref is not None))
    for name in sorted(held):
        if name in kept:
            leave(run, held[name])
        else:
            module_state.place(run, held[name], place, all_of_it=False)


def is_spread(run: Run, receiver: Value) -> bool:
    """Whether a module has put some of what it holds on one accelerator, and some on another."""
    held = run.instance(receiver.ref).attributes.values()
    devices = {module_state.module_device(run, e)[0] for e in held if e.kind is Kind.MODULE}
    return any(are_parted(one, other) for one, other in combinations(devices, 2))


def leave(run: Run, module: Value) -> None:
    """Note of the state of a module that it is left where it was made."""
    for ref in module_state.objects(run, module):
        instance = run.instance(ref)
        noted = instance.with_each(unmoved)
        if noted.device.is_cpu and noted.origin is not None:
            noted = replace(noted, origin=replace(noted.origin, source=Unmoved()))
        if noted is not instance:
            run.store(ref, noted)


def unmoved(item: Value) -> Value:
    if item.origin is None or item.payload != PARAMETER or not item.device.is_cpu:
        return item
    return replace(item, origin=replace(item.origin, source=Unmoved()))


def left(run: Run, owner: ClassInfo, names: Iterable[str]) -> frozenset[str]:
    """Those of the attributes that nobody in view moves, nor gets hold of, though the class moves
    something."""
    if owner.is_module or not any(run.once(moves, each, each) for each in owner.line):
        return frozenset()
    reached = stored_outside(run) | run.once(moved_in, run.module)
    reached |= {name for each in owner.line for name in run.once(handed_on, each, each)}
    own = frozenset(names) - reached
    return own.difference(name for name in own if is_moved_elsewhere(run, name))


def is_moved_elsewhere(run: Run, name: str) -> bool:
    """Whether another file of the project moves an attribute of that name, or assigns one."""
    place = run.home.place
    if place is None:
        return False
    sources = filter(None, map(place.project.source, place.naming(name) or ()))
    return any(name in each.once(moved_in) | each.once(assigned_elsewhere) for each in sources)


def moves(owner: ClassInfo) -> bool:
    """Whether a method of one class moves something to a device, or makes something there."""
    calls = (node for node in nodes_of(owner) if isinstance(node, ir.Call))
    return any(is_move(each) or is_placement(each) for each in calls)


def moved_in(module: ir.Module) -> frozenset[str]:
    """The attributes, of anything but `self`, that a program moves."""
    moved = attributes(moved_by(by_type(module)[ir.Call]))
    return frozenset(each.name for each in moved if not is_self(each.value))


def moved_by(nodes: Iterable[ir.Node]) -> Iterator[ir.Expression]:
    """What nodes move."""
    methods = (node.func for node in nodes if isinstance(node, ir.Call))
    for method in methods:
        if isinstance(method, ir.Attribute) and method.name in PLACES:
            yield method.value


def attributes(nodes: Iterable[ir.Node]) -> Iterator[ir.Attribute]:
    return (each for each in nodes if isinstance(each, ir.Attribute))


def handed_on(owner: ClassInfo) -> frozenset[str]:
    """The attributes that the methods of one class move, or use otherwise than to assign them, to
    call them, to ask for what they have and to do so with each item of them."""
    nodes = list(nodes_of(owner))
    used: set[ir.Node] = {n.value for n in nodes if isinstance(n, (ir.Attribute, ir.Subscript))}
    used |= {node.func for node in nodes if isinstance(node, ir.Call)}
    assigned = (target for node in nodes if isinstance(node, ir.Assign) for target in node.targets)
    used |= {part for target in assigned for part in parts(target)}
    used -= {*moved_by(nodes)}
    loops = (each for each in nodes if isinstance(each, (ir.For, ir.Clause)))
    steps = [step for loop in loops for step in stepped(loop.target, loop.iter)]
    bound = {part for target, _ in steps for part in walk(target)}
    given = {n.id for n in nodes if isinstance(n, ir.Name) and n not in used and n not in bound}
    used |= {whole for target, whole in steps if given.isdisjoint(words_of(target))}
    return frozenset(
        each.name for each in attributes(nodes) if is_self(each.value) and each not in used
    )


def stepped(target: ir.Expression, source: ir.Expression) -> Iterator[tuple[ir.Node, ir.Node]]:
    """What a loop steps through, each with what that binds."""
    items = target.items if isinstance(target, ir.Display) else ()
    match source:
        case ir.Call(func=ir.Name(id="enumerate"), args=(whole, *_)) if len(items) == 2:
            yield from stepped(items[1], whole)
        case ir.Call(func=ir.Name(id="zip"), args=wholes) if len(items) == len(wholes):
            yield from zip(items, wholes, strict=True)
        case _:
            yield target, source


def filled(run: Run, owner: ClassInfo, receiver: Value) -> frozenset[str]:
    """The attributes of an object that are containers, which one method fills, and one reads that
    has to do with devices."""
    held = run.instance(receiver.ref).attributes.items()
    names = frozenset(name for name, item in held if item.kind is Kind.CONTAINER)
    if not names:
        return names
    methods = [each.words for each in owner.definitions if each.name != "__init__"]
    given = (words for words in methods if not ADDS.isdisjoint(words))
    read = (words for words in methods if run.seeds.are_in(words))
    return names.intersection(chain.from_iterable(given)).intersection(chain.from_iterable(read))


def nodes_of(owner: ClassInfo) -> Iterator[ir.Node]:
    methods = (each.node for each in owner.methods.values())
    return (node for method in methods if isinstance(method, ir.Def) for node in walk(method))


def placements_in(owner: ClassInfo) -> frozenset[tuple[str, str | None]]:
    """The attributes that the methods of one class assign or move, and where each puts them."""
    return frozenset(found for node in nodes_of(owner) for found in placements(node))


def placements(node: ir.Node) -> Iterator[tuple[str, str | None]]:
    """Attributes of `self` that a node moves or assigns, and where that puts them, if anywhere."""
    if isinstance(node, ir.Call):
        moved = attributes(moved_by([node]))
        yield from ((each.name, place(node)) for each in moved if is_self(each.value))
    if isinstance(node, ir.Assign) and not is_none(node.value):
        for target in node.targets:
            for part in walk(target):
                if isinstance(part, ir.Attribute) and is_self(part.value):
                    yield part.name, place(node.value) if part is target else None


def is_none(node: ir.Expression) -> bool:
    return isinstance(node, ir.Constant) and node.value is None


def place(node: ir.Expression) -> str | None:
    """Where an expression such as `Net().to(device).eval()` puts what it gives."""
    while isinstance(node, ir.Call) and isinstance(node.func, ir.Attribute):
        if node.func.name in PLACES:
            named = [value for _, value in node.keywords]
            return ",".join(map(source_text, [*node.args, *named])) if is_move(node) else None
        if node.func.name not in FLUENT:
            return None
        node = node.func.value
    return None
