"""Models out of view: where a program moves what it gives to one, that needs it moved elsewhere."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace

from devlint.analyses.inferred_loaders import MODEL, is_move
from devlint.event import Feed, Operand
from devlint.interpret.core import module_state
from devlint.interpret.core.batches import is_batch, settled
from devlint.interpret.core.branch_conditions import last_word
from devlint.interpret.core.call import Arguments
from devlint.interpret.core.class_summary import stored_outside
from devlint.interpret.core.containers import items_of
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.scopes import ClassInfo
from devlint.interpret.objects import module_calls
from devlint.interpret.objects.module_methods import FLUENT
from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.queries.name_conventions import is_self, names_use, source_text, written
from devlint.values.value import NOTHING, Kind, Origin, Value

MOVES = frozenset({"to", "cuda", "cpu", "to_empty"})


@dataclass(frozen=True, slots=True, eq=False)
class Giving:
    """A call of a model, which is on the device of `module`, with what it is given by position or
    name; `path` are the calls that led there, `is_held`: the model is an attribute of a class."""

    node: ir.Call
    module: Operand
    given: dict[Hashable, Operand]
    path: tuple[ir.Node, ...]
    is_held: bool
    call: ir.Node | None


def note(machine: Run, node: ir.Call, callee: Value, arguments: Arguments) -> None:
    """Note what a model is given that may move its inputs, for all that is known of it."""
    if (
        machine.tolerance
        or not module_calls.is_plain_call(node)
        or not is_model(machine, node, callee)
    ):
        return
    key = callee.ref or held(machine, node)
    if key is None:
        return
    device, origin = module_state.module_device(machine, callee)
    name = written(node.func)
    module = Operand(node.func, name, Value(Kind.MODULE, device, ref=callee.ref, origin=origin))
    giving = Giving(
        node,
        module,
        dict(slots(machine, arguments)),
        machine.frame.path,
        callee.ref is None,
        machine.call,
    )
    machine.notes.givings.setdefault(key, []).append(giving)


def is_model(machine: Run, node: ir.Call, callee: Value) -> bool:
    """Whether what is called computes with parameters, and its code is out of view."""
    instance = machine.instance(callee.ref)
    if (
        callee.kind not in (Kind.UNKNOWN, Kind.MODULE)
        or instance.tag(module_state.Placing) is not None
    ):
        return False
    if instance.type is not None and not isinstance(instance.type, module_state.Outer):
        return False
    return (
        MODEL.search(last_word(called(node))) is not None
        or instance.tag(module_calls.Trained) is not None
    )


def called(node: ir.Call) -> ir.Expression:
    """The model of `model(x)` and `model.forward(x)`."""
    func = node.func
    return func.value if isinstance(func, ir.Attribute) and names_use(func.name) else func


def slots(machine: Run, arguments: Arguments) -> Iterator[tuple[Hashable, Operand]]:
    """The arguments by what they are known by: a position, a name, or `**`."""
    named = [*enumerate(arguments.positional), *arguments.keywords.items()]
    for key, argument in [*named, *(("**", each) for each in arguments.mapped)]:
        value = whole(machine, settled(machine, argument.value))
        yield key, Operand(argument.node, written(argument.node), value)


def whole(machine: Run, value: Value) -> Value:
    """What holds items that have been set is where they are, if they have all been moved."""
    items = items_of(machine, value) if value.ref is not None else []
    if not items:
        return value
    return items[0] if all(is_moved(item) for item in items) else NOTHING


def is_moved(value: Value) -> bool:
    """Whether the program itself has put a value on an accelerator, whatever tests say."""
    origin = value.origin
    is_put = origin is not None and origin.source is None and isinstance(origin.node, ir.Call)
    is_certain = value.device.arms is None or value.device.is_chosen
    return is_put and is_certain and value.device.is_accelerator


def held(machine: Run, node: ir.Call) -> Hashable | None:
    """The key of `self.model`, of which nothing is known but what the class does with it."""
    func, owner = called(node), machine.frame.owner
    if owner is None or not isinstance(func, ir.Attribute):
        return None
    is_placed = is_self(func.value) and func.name in placed(machine, owner)
    return (owner.node, func.name) if is_placed else None


def placed(machine: Run, owner: ClassInfo) -> frozenset[str]:
    """The attributes that the methods of a class put on a device, and nobody anywhere else."""
    if owner.is_module:
        return frozenset()  # Whoever moves the whole moves them.
    return machine.once(placed_by, owner) - stored_outside(machine)


def placed_by(owner: ClassInfo) -> frozenset[str]:
    """The attributes that the methods of a class put on a device whenever they assign or move
    them, and always on the same one."""
    found: dict[str, set[str | None]] = {}
    for method in owner.definitions:
        for node in walk(method):
            for name, where in placements(node):
                found.setdefault(name, set()).add(where)
    return frozenset(name for name, all_ in found.items() if None not in all_ and len(all_) == 1)


def placements(node: ir.Node) -> Iterator[tuple[str, str | None]]:
    """Attributes of `self` that a node moves or assigns, and where that puts them, if anywhere."""
    if isinstance(node, ir.Call) and isinstance(node.func, ir.Attribute):
        subject = node.func.value
        if node.func.name in MOVES and isinstance(subject, ir.Attribute) and is_self(subject.value):
            yield subject.name, place(node)
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
        if node.func.name in MOVES:
            named = [value for _, value in node.keywords]
            return ",".join(map(source_text, [*node.args, *named])) if is_move(node, {}) else None
        if node.func.name not in FLUENT:
            return None
        node = node.func.value
    return None


def settle(machine: Run) -> None:
    """Say which models are given what was left on the CPU, but was moved for them elsewhere."""
    for givings in machine.notes.givings.values():
        for index, giving in enumerate(givings):
            for key, operand in giving.given.items():
                if is_batch(operand.value) and operand.value.device.is_cpu:
                    others = givings if is_placed(giving) else before(givings[:index], giving)
                    machine.events += clash(giving, key, operand, others)


def is_placed(giving: Giving) -> bool:
    return giving.is_held or giving.module.value.device.is_known


def before(givings: list[Giving], giving: Giving) -> list[Giving]:
    """Of a model that nobody in view has placed: what the same call of a function did before."""
    return [each for each in givings if each.path == giving.path]


def clash(giving: Giving, key: Hashable, operand: Operand, others: list[Giving]) -> Iterator[Feed]:
    for other in others:
        moved = other.given.get(key)
        if moved is not None and is_moved(moved.value):
            device = moved.value.device
            origin = Origin(other.node, f"given what is on {device.told} here", other.path)
            precedent = replace(other.module, value=Value(Kind.MODULE, device, origin=origin))
            module = giving.module if giving.module.value.device.is_known else precedent
            yield Feed(giving.node, module, (operand,), giving.call, precedent)
            return
