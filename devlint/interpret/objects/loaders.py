"""Loaders and data sets: whether what they give is on the CPU."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from devlint.facts.effect import Fact, Opaque, Transform
from devlint.facts.signature import Mark, signature
from devlint.interpret.core import batches, module_state
from devlint.interpret.core.call import Argument, Arguments, Call
from devlint.interpret.core.containers import container, element, items_of
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.object_ids import outermost
from devlint.interpret.core.scopes import Bound, ClassInfo, Function
from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.queries.name_conventions import words_of
from devlint.values.device import ON_CPU, UNKNOWN, Device
from devlint.values.dimensions import ARRAY, UNRANKED
from devlint.values.instance import ANY, Instance
from devlint.values.tags import Lasting
from devlint.values.value import NONE, NOTHING, Kind, Value, as_device

TRANSFORM = "transform"
#: Methods that give the next batch; `next` is one of old programs.
STEPS = frozenset({"next", "__next__"})
#: What is on no device.
PLAIN = frozenset({Kind.NUMBER, Kind.CONSTANT, Kind.ARRAY})


def loaded_from(machine: Run, fact: Opaque, call: Call) -> Device:
    """Where the batches of a new loader are, as far as that is known.

    Of a data set with a part on an accelerator, other parts may be on the CPU.
    """
    if loads_from_cpu(machine, fact, call):
        return ON_CPU
    data = call.arguments.get(0, "dataset")
    if data is None or data.value.payload != batches.DATASET or data.value.device.is_cpu:
        return UNKNOWN
    return data.value.device.join(ON_CPU)


def stepped(machine: Run, call: Call) -> Value | None:
    """What `it.next()` gives of a loader, and `it.__iter__()`; None of anything else."""
    receiver = call.receiver
    if receiver.payload not in batches.LOADERS:
        return None
    if call.name == "__iter__":
        return receiver
    return element(machine, receiver, call.node) if call.name in STEPS else None


def kind(machine: Run, name: str, arguments: Arguments) -> str:
    """What a new loader is known as: PyTorch's own stacks what no `collate_fn` is given for."""
    collate, data = arguments.get(6, "collate_fn"), arguments.get(0, "dataset")
    is_plain = name == "torch.utils.data.DataLoader" and not arguments.is_open
    if not is_plain or data is None or not (collate is None or collate.value.is_none):
        return batches.LOADER
    return batches.STACKER if gives_tensors(machine, data.value) else batches.LOADER


def gives_tensors(machine: Run, data: Value) -> bool:
    """Whether a loader can make tensors of all that a data set gives, or each of several."""
    parts = items_of(machine, data) if data.kind is Kind.CONTAINER else [data]
    facts = [machine.instance(part.ref).type for part in parts]
    return bool(facts) and all(isinstance(f, Opaque) and f.gives_tensors for f in facts)


def completed(machine: Run, fact: Opaque, arguments: Arguments) -> Opaque:
    """The fact of a data set that gives what those give which it is made of."""
    held = [a.value for p, a in arguments.bound(signature(fact.signature)) if p.mark is Mark.FREE]
    gives = bool(held) and all(gives_tensors(machine, value) for value in held)
    return replace(fact, gives_tensors=fact.gives_tensors or gives)


def data_set(machine: Run, fact: Opaque, call: Call) -> Value:
    """A data set, or several; it may be moved, or be handed to what moves it."""
    arguments = call.arguments
    device, origin = ON_CPU if holds_cpu(machine, fact, arguments) else UNKNOWN, None
    if (part := accelerated(arguments)) is not None:
        device, origin = part.value.device, part.value.origin
    ref = machine.make(call.node, Instance(completed(machine, fact, arguments), device=device)).ref
    machine.notes.datasets[ref] = tuple(argument.value for argument in arguments)
    value = Value(Kind.OBJECT, device, ref=ref, payload=batches.DATASET, origin=origin)
    return container(machine, call.node.func, {ANY: value}) if fact.kind == "split" else value


def accelerated(arguments: Arguments) -> Argument | None:
    """Of what a data set is made of, a part on an accelerator."""
    return next((a for a in arguments if is_data(a.value) and a.value.device.is_accelerator), None)


def is_data(value: Value) -> bool:
    return value.kind is Kind.TENSOR or value.payload in batches.GIVERS


def loads_from_cpu(machine: Run, fact: Opaque, call: Call) -> bool:
    """Whether a loader is known to give what is on the CPU.

    A loader that pins memory takes nothing else; workers hardly ever use an accelerator.
    """
    arguments = call.arguments
    if not machine.default_device(call.node)[0].is_cpu or is_set(arguments, 7, "pin_memory"):
        return machine.default_device(call.node)[0].is_cpu
    collate = arguments.get(6, "collate_fn")
    if collate is not None and not collate.value.is_none and not is_still(machine, collate.value):
        return False
    found = arguments.get(0, "dataset")
    gives_cpu = on_cpu(machine, found.value) if found is not None else None
    if gives_cpu is not None or found is None:
        return bool(gives_cpu)
    return is_told_no_device(machine, found.value)


def is_told_no_device(machine: Run, data: Value) -> bool:
    """Whether a data set is an argument, or of one, or of a class out of view, and nothing puts it
    on an accelerator: such hardly ever are there."""
    is_given = data.kind is Kind.IMPORTED or isinstance(outermost(data.ref), ir.Parameter)
    return is_given or isinstance(machine.instance(data.ref).type, module_state.Outer)


def is_set(arguments: Arguments, index: int, name: str) -> bool:
    given = arguments.get(index, name)
    return given is not None and given.value.payload not in (None, 0, False)


def holds_cpu(machine: Run, fact: Fact, arguments: Arguments) -> bool:
    """Of a data set made of others or of tensors, all have to be; of one of a library, nothing
    that it is given may move what it reads."""
    for parameter, argument in arguments.paired(signature(fact.signature)):
        if parameter is not None and parameter.mark is Mark.FREE:
            if not on_cpu(machine, argument.value):
                return False
        elif is_device(argument) or on_cpu(machine, argument.value) is False:
            return False
    return not arguments.rest


def is_device(argument: Argument) -> bool:
    return as_device(argument.value) is not None


def on_cpu(machine: Run, value: Value) -> bool | None:
    """Whether what a data set, a tensor or a function gives is on the CPU; None: not known."""
    if value.kind is Kind.OBJECT and value.payload in batches.GIVERS:
        return batches.gives_cpu(machine, value)
    if value.payload == TRANSFORM or value.kind is Kind.TENSOR:
        return value.device.is_cpu
    if value.kind is Kind.FUNCTION:
        return None if is_still(machine, value) else False
    if value.kind is Kind.CONTAINER:
        held = [each for each in items_of(machine, value) if each.kind not in PLAIN]
        return all_on_cpu(on_cpu(machine, each) for each in held)
    type_ = machine.instance(value.ref).type
    if isinstance(type_, ClassInfo):
        return instance_on_cpu(machine, value, type_)
    is_told = value.device.is_known and not value.device.is_like
    return value.device.is_cpu if is_told else None


def all_on_cpu(found: Iterable[bool | None]) -> bool | None:
    answers = list(found)
    if False in answers:
        return False
    return None if None in answers or not answers else True


def instance_on_cpu(machine: Run, value: Value, owner: ClassInfo) -> bool | None:
    """What a data set of a class in view gives, item by item."""
    getter = owner.method("__getitem__") or owner.method("__iter__")
    if getter is None:
        return None
    if not machine.seeds.may_move(machine.once(used_words, owner, owner)):
        held = [item for _, item in machine.instance(value.ref).contents]
        return all(on_cpu(machine, item) is not False for item in held if not is_place(item))
    return item_on_cpu(machine, machine.invoke(getter, value))


def is_place(value: Value) -> bool:
    return as_device(value) is not None


def used_words(owner: ClassInfo) -> frozenset[str]:
    """The words of a class, but not of what `__init__` keeps as it is (`self.device = device`)."""
    init = owner.methods.get("__init__")
    if init is None or not isinstance(init.node, ir.Def):
        return owner.node.words
    others = [each.node for each in owner.methods.values() if each is not init]
    words = [each.words for each in others if isinstance(each, ir.Def)]
    words += [words_in(each) for each in init.node.body if not is_kept(each)]
    return frozenset().union(*words)


def is_kept(statement: ir.Statement) -> bool:
    return (
        isinstance(statement, ir.Assign)
        and isinstance(statement.value, ir.Name)
        and all(isinstance(each, ir.Attribute) for each in statement.targets)
    )


def words_in(statement: ir.Statement) -> frozenset[str]:
    """The words of a statement, as functions and classes have them."""
    nodes = list(walk(statement))
    names = {name for node in nodes if isinstance(node, ir.Call) for name, _ in node.keywords}
    return words_of(statement) | frozenset(name for name in names if name is not None)


def item_on_cpu(machine: Run, item: Value) -> bool:
    if item.kind is Kind.CONTAINER:
        parts = items_of(machine, item)
        return bool(parts) and all(item_on_cpu(machine, part) for part in parts)
    return item.kind in PLAIN or item.device.is_cpu


def is_still(machine: Run, value: Value) -> bool:
    """Whether a function is known to move nothing."""
    payload = value.payload
    if isinstance(payload, Bound):
        payload = payload.function
    if isinstance(payload, Function):
        node = payload.node
        return not machine.seeds.may_move(
            node.words if isinstance(node, ir.Def) else words_of(node)
        )
    type_ = machine.instance(value.ref).type
    if isinstance(type_, ClassInfo):  # Other classes may have a `__call__` that moves.
        return not machine.seeds.may_move(type_.node.words - {"__call__"})
    return value.payload == "collator"


def transform(machine: Run, fact: Transform, arguments: Arguments) -> Value:
    """A transform on images; of several, what any of them does."""
    given = [argument.value for argument in arguments]
    parts = [part for value in given for part in [value, *items_of(machine, value)]]
    held = [part for part in parts if part.payload == TRANSFORM or is_callable(machine, part)]
    may_move = any(is_device(a) or a.value.device.may_accelerate for a in arguments) or not all(
        part.payload == TRANSFORM or is_still(machine, part) for part in held
    )
    gives = fact.gives_tensor or any(
        part.payload == TRANSFORM and part.is_scalar is False for part in held
    )
    device = UNKNOWN if may_move or any(is_unsettled(part) for part in held) else ON_CPU
    is_open = fact.gives_image or any(
        part.payload != TRANSFORM or part.tag(Open) is not None for part in held
    )
    tags = (Runs(tuple(held)), *((Open(),) if is_open else ()))
    return Value(Kind.OBJECT, device, ARRAY if gives else UNRANKED, payload=TRANSFORM, tags=tags)


def is_callable(machine: Run, part: Value) -> bool:
    """Whether it is a function in view, or an object that is called like one."""
    type_ = machine.instance(part.ref).type
    is_object = isinstance(type_, ClassInfo) and type_.method("__call__") is not None
    return part.kind is Kind.FUNCTION or is_object


@dataclass(frozen=True, slots=True)
class Runs(Lasting):
    """Of a transform: what it calls, functions, objects and other transforms."""

    parts: tuple[Value, ...]


class Open(Lasting):
    """Of a transform that may take what is on an accelerator back, or gives what is no tensor."""

    __slots__ = ()


def is_unsettled(part: Value) -> bool:
    return part.payload == TRANSFORM and not part.device.is_cpu


def transformed(machine: Run, node: ir.Call, callee: Value, arguments: Arguments) -> Value:
    """What a transform makes of an image; what it is given may have been moved, and be none: a
    transform of tensors leaves those where they are."""
    given = next(iter(arguments), None)
    value = NOTHING if given is None else given.value
    is_moved = value.device.may_accelerate
    is_left = callee.device.is_cpu and not (is_moved and callee.tag(Open) is not None)
    if is_left and (is_moved or value.kind is Kind.TENSOR):
        return replace(value, payload=None, tags=())
    if callee.device.is_cpu and callee.is_scalar is False and not is_moved:
        made = batches.batch(machine, node, "the transform")
        return replace(made, kind=Kind.TENSOR, dimensions=callee.dimensions)
    return Value(ref=machine.key(node))


def run_over(machine: Run, node: ir.Call, arguments: Arguments) -> Value:
    """`update_bn(loader, model)` calls the model with each batch, on `device` if that is given."""
    loader, model = arguments.get(0, "loader"), arguments.get(1, "model")
    device = arguments.get(2, "device")
    is_placed = arguments.is_open or (device is not None and not device.value.is_none)
    if loader is not None and model is not None and not is_placed:
        batch = element(machine, loader.value, node)
        machine.compute(node, model.value, Arguments((Argument(loader.node, batch),)))
    return NONE
