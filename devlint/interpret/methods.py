"""What calls of methods give."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace

from devlint.interpret import (
    attributes,
    checkpoints,
    container_methods,
    creation,
    effects,
    modules,
    moves,
)
from devlint.interpret.arguments import Argument, Arguments
from devlint.interpret.containers import container, element, item_key
from devlint.interpret.functions import invoke
from devlint.interpret.machine import Child, ClassInfo, Function, Machine
from devlint.interpret.naming import names_use, written
from devlint.interpret.statements import is_decorated
from devlint.lower import ir
from devlint.torch_facts.effect import Makes, Moves, Size
from devlint.torch_facts.table import method_fact
from devlint.values.device import like
from devlint.values.instance import ANY, Instance
from devlint.values.value import NOTHING, Kind, Origin, Value

#: Methods of modules that return the module and leave it where it is.
FLUENT = frozenset(
    (
        "eval train float half double bfloat16 requires_grad_ apply share_memory zero_grad "
        "gradient_checkpointing_enable gradient_checkpointing_disable compile type"
    ).split()
)
STATE = frozenset("state_dict parameters named_parameters buffers named_buffers".split())
PARTS = frozenset("children named_children modules named_modules".split())
#: Methods of modules that look at it, or fill it, where it is.
STRUCTURE = PARTS | {"extra_repr", "load_state_dict"}
#: Objects whose state is plain numbers.
NUMERIC = ("scaler", "scheduler")
#: Methods of dicts and lists that give what is in them.
INNER = frozenset("get pop items values keys copy setdefault popitem".split())


@dataclass(frozen=True, slots=True)
class Super:
    """`super()` inside a method of `owner`."""

    owner: ClassInfo
    receiver: Value


@dataclass(frozen=True, slots=True, eq=False)
class Partial:
    """`functools.partial(function, ..)`."""

    function: Value
    given: Arguments = field(default_factory=Arguments)

    def completed(self, arguments: Arguments) -> Arguments:
        return Arguments(
            self.given.positional + arguments.positional,
            {**self.given.keywords, **arguments.keywords},
            self.given.rest + arguments.rest,
            self.given.is_open or arguments.is_open,
        )


def call(machine: Machine, node: ir.Call, receiver: Value, arguments: Arguments) -> Value:
    assert isinstance(node.func, ir.Attribute)
    name = node.func.name
    if isinstance(receiver.detail, Super):
        return of_base(machine, node, receiver.detail, name, arguments)
    if receiver.kind is Kind.CLASS and isinstance(receiver.detail, ClassInfo):
        return of_class(machine, node, receiver.detail, name, arguments)
    if name in OBSERVED:
        OBSERVED[name](machine, node, receiver, arguments)
    function = in_view(machine, receiver, name)
    if function is not None:
        return invoke(machine, function, arguments, node, receiver)
    held = attributes.held(machine, receiver, name)
    if held is not None:
        return machine.apply(node, held, arguments)
    if receiver.kind is Kind.CONSTANT:
        return of_text(receiver, name)
    if receiver.kind is Kind.CONTAINER:
        return container_methods.method(machine, node, receiver, name, arguments)
    if receiver.kind is Kind.GENERATOR:
        return receiver if name == "manual_seed" else NOTHING
    if modules.is_module(machine, receiver):
        return of_module(machine, node, receiver, name, arguments)
    if receiver.kind is Kind.TENSOR:
        return of_tensor(machine, node, receiver, name, arguments)
    return of_unknown(machine, node, receiver, name, arguments)


def in_view(machine: Machine, receiver: Value, name: str) -> Function | None:
    type_ = machine.instance(receiver.ref).type
    return type_.method(name) if isinstance(type_, ClassInfo) else None


def of_base(
    machine: Machine, node: ir.Call, parent: Super, name: str, arguments: Arguments
) -> Value:
    for base in parent.owner.bases:
        if isinstance(base.detail, ClassInfo):
            function = base.detail.method(name)
            if function is not None:
                return invoke(machine, function, arguments, node, parent.receiver)
    if name == "__init__":
        return NOTHING
    return of_module(machine, node, parent.receiver, name, arguments)


def of_class(
    machine: Machine, node: ir.Call, owner: ClassInfo, name: str, arguments: Arguments
) -> Value:
    function = owner.method(name)
    if function is None:
        return of_unknown(machine, node, NOTHING, name, arguments)
    is_bound = is_decorated(function, {"classmethod"})
    receiver = Value(Kind.CLASS, detail=owner) if is_bound else None
    return invoke(machine, function, arguments, node, receiver)


def of_text(receiver: Value, name: str) -> Value:
    """`"cuda:{}".format(i)` names some accelerator."""
    if name == "format" and isinstance(receiver.detail, str):
        return attributes.indexed_device(receiver.detail.partition("{")[0])
    return NOTHING


def of_module(
    machine: Machine, node: ir.Call, receiver: Value, name: str, arguments: Arguments
) -> Value:
    fact = method_fact(name)
    if name in FLUENT and not (name == "type" and moves.of_type(arguments)):
        return receiver
    if isinstance(fact, Moves):
        return moved(machine, node, fact, receiver, arguments)
    if name == "to_empty":
        place = creation.placed(node, arguments)
        if place is not None:
            modules.move(machine, receiver, place[0], Origin(node, "moved here"))
        return receiver
    if name in STATE:
        return state_of(machine, node, receiver, name)
    if name in PARTS:
        return listed(machine, node, name, receiver)
    if name in ATTACHES:
        return attached(machine, node, receiver, name, arguments)
    if names_use(name):
        return machine.compute(node, receiver, arguments)
    if name not in STRUCTURE:
        modules.escape(machine, receiver)
    return Value(ref=Child(receiver.ref, name))


ATTACHES = frozenset(
    "add_module register_module register_parameter register_buffer append insert extend".split()
)


#: How the methods call what they attach, where that is not a `module`.
ATTACHED = {"register_buffer": "tensor", "register_parameter": "param"}


def attached(
    machine: Machine, node: ir.Call, receiver: Value, name: str, arguments: Arguments
) -> Value:
    """`append(module)`, `insert(index, module)`, `add_module(name, module)` and their like."""
    if name in ("append", "extend"):
        given, label = arguments.get(0, "module"), f"{written(node.func)}(..)"
        key: Hashable = item_key(node)
    elif name == "insert":
        given, label = arguments.get(1, "module"), f"{written(node.func)}(..)"
        key = item_key(node)
    else:
        given = arguments.get(1, ATTACHED.get(name, "module"))
        named = arguments.get(0, "name")
        key = label = str(named.value.detail) if named is not None else name
    if given is None:
        return receiver
    value = element(machine, given.value, node) if name == "extend" else given.value
    if name == "register_buffer":
        value = modules.parameter(value)
    modules.attach(machine, receiver, key, value, node, label)
    return receiver


def of_tensor(
    machine: Machine, node: ir.Call, receiver: Value, name: str, arguments: Arguments
) -> Value:
    fact = method_fact(name)
    if fact is None:
        return NOTHING
    if isinstance(fact, Moves):
        return moved(machine, node, fact, receiver, arguments)
    assert isinstance(node.func, ir.Attribute)
    whole = Argument(node.func.value, receiver)
    bound = replace(arguments, positional=(whole, *arguments.positional))
    return effects.apply(machine, fact, node, name, bound)


def of_unknown(
    machine: Machine, node: ir.Call, receiver: Value, name: str, arguments: Arguments
) -> Value:
    """The receiver may be a tensor, a module, a batch, a checkpoint or none of them."""
    fact = method_fact(name)
    if isinstance(fact, Moves):
        return moved(machine, node, fact, receiver, arguments)
    instance = machine.instance(receiver.ref)
    if name in FLUENT:
        return receiver
    if instance.move is not None and (name in STATE or name in ATTACHES or names_use(name)):
        return of_module(machine, node, receiver, name, arguments)
    if name in STATE:
        return state_of(machine, node, receiver, name)
    if name in PARTS and instance.move is not None:
        return listed(machine, node, name, receiver)
    if name in INNER:
        return Value(device=receiver.device, ref=receiver.ref, origin=receiver.origin)
    if receiver.device.is_known and fact is not None and not is_size(fact):
        return of_tensor(machine, node, receiver, name, arguments)
    for argument in arguments:
        modules.escape(machine, argument.value)
    if name not in STRUCTURE:
        modules.escape(machine, receiver)
    return machine.make(node, Instance())


def state_of(machine: Machine, node: ir.Call, receiver: Value, name: str) -> Value:
    """A state dict, or the parameters and buffers one by one."""
    device, origin = modules.module_device(machine, receiver)
    if receiver.device.is_known:
        device, origin = receiver.device, receiver.origin
    if not device.is_known:
        device = like(receiver.ref, "the module")
    if name == "state_dict":
        made = machine.make(node, Instance(), Kind.CONTAINER)
        return replace(made, device=device, origin=origin)
    part = modules.PartOf(receiver.ref)
    return listed(machine, node, name, Value(Kind.TENSOR, device, detail=part, origin=origin))


def listed(machine: Machine, node: ir.Call, name: str, item: Value) -> Value:
    """What iterates over parts of a module: one stands for all of them."""
    if name.startswith("named_"):
        item = container(machine, node.func, {item_key(0): NOTHING, item_key(1): item})
    return container(machine, node, {ANY: item})


def moved(
    machine: Machine, node: ir.Call, fact: Moves, receiver: Value, arguments: Arguments
) -> Value:
    if fact.how != "cpu" and moves.destination(fact, arguments) is not None:
        checkpoints.reached(machine, receiver, node)
    return moves.moved(machine, node, fact, receiver, arguments)


def is_size(fact: object) -> bool:
    return isinstance(fact, Makes) and fact.size is Size.UNKNOWN


def loaded_into(machine: Machine, node: ir.Call, receiver: Value, arguments: Arguments) -> None:
    assert isinstance(node.func, ir.Attribute)
    if receiver.detail in NUMERIC or written(node.func.value).endswith(NUMERIC):
        return
    modules.grow_state(machine, receiver)
    into, _ = modules.module_device(machine, receiver)
    for argument in arguments:
        checkpoints.reached(machine, argument.value, node, into)


def applied(machine: Machine, node: ir.Call, receiver: Value, arguments: Arguments) -> None:
    """`apply` hands each part to a function, which may move it."""
    modules.escape(machine, receiver)


def stepped(machine: Machine, node: ir.Call, receiver: Value, arguments: Arguments) -> None:
    checkpoints.trained(machine)


def ran(machine: Machine, node: ir.Call, receiver: Value, arguments: Arguments) -> None:
    """`trainer.run(loader)` is how ignite trains."""
    if "trainer" in written(node.func):
        checkpoints.trained(machine)


def taken(machine: Machine, node: ir.Call, receiver: Value, arguments: Arguments) -> None:
    checkpoints.reached(machine, receiver, node)


Observer = Callable[[Machine, ir.Call, Value, Arguments], None]
OBSERVED: dict[str, Observer] = {
    "load_state_dict": loaded_into,
    "apply": applied,
    "backward": stepped,
    "fit": stepped,
    "run": ran,
    **dict.fromkeys(["eval", "train", "forward", "generate", "act", "predict", "encode"], taken),
}
