"""What calls of a module's own methods give and do."""

from __future__ import annotations

from dataclasses import replace

from devlint.facts.effect import Container, Layer, Model, Moves
from devlint.facts.layers import has_parts
from devlint.facts.table import method_fact
from devlint.interpret.core import batches, module_state
from devlint.interpret.core.attachments import attach
from devlint.interpret.core.call import Argument, Arguments, Call
from devlint.interpret.core.class_summary import keeps_attributes
from devlint.interpret.core.containers import container, element, numbered
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.object_ids import Child
from devlint.interpret.core.scopes import ClassInfo
from devlint.interpret.core.signals import StateReplaced
from devlint.interpret.modules import hooks, own_state
from devlint.interpret.modules.derived import library_type
from devlint.interpret.modules.module_calls import is_metric
from devlint.interpret.objects import plain_attributes, saved_files
from devlint.interpret.objects.container_methods import inner
from devlint.interpret.objects.state_snapshots import state_origin
from devlint.interpret.tensors import external_results, factories, operations, transfers
from devlint.lower import ir
from devlint.queries.name_conventions import names_use, written
from devlint.values.device import like
from devlint.values.dimensions import ARRAY
from devlint.values.instance import ANY, Instance, ItemKey, Key
from devlint.values.origin import Origin
from devlint.values.tags import AllParts, ParameterName
from devlint.values.value import NEVER, NOTHING, Kind, Value

#: Methods of modules that return the module and leave it where it is.
FLUENT = frozenset(
    (
        "eval train float half double bfloat16 requires_grad_ apply share_memory zero_grad "
        "gradient_checkpointing_enable gradient_checkpointing_disable compile type"
    ).split()
)
#: So many children, each of which may be replaced, are told apart.
FEW = 6
#: One part, which stands for all of them.
PART = "get_submodule"
STATE = frozenset("state_dict parameters named_parameters buffers named_buffers".split())
PARTS = frozenset("children named_children modules named_modules".split())
#: The same of a `ModuleDict`.
OF_DICT = {"values": "children", "items": "named_children"}
#: Methods of modules that look at it, or fill it, where it is.
STRUCTURE = PARTS | {"extra_repr", "load_state_dict"}
ATTACHES = frozenset(
    "add_module register_module register_parameter register_buffer append insert extend".split()
)
#: How the methods call what they attach, where that is not a `module`.
ATTACHED = {"register_buffer": "tensor", "register_parameter": "param"}


def of_module(machine: Run, call: Call) -> Value:
    node, name, receiver, arguments = call.node, call.name, call.receiver, call.arguments
    fact = method_fact(name)
    if name == "apply":
        call_with_parts(machine, call)
    if name in FLUENT and not (name == "type" and transfers.of_type(arguments)):
        return receiver
    if name == PART:
        return receiver.tagged(AllParts())
    if name in hooks.REGISTERING:
        hooks.register(machine, call)
        return NOTHING
    if isinstance(fact, Moves):
        return moved(machine, node, fact, receiver, arguments)
    if name == "to_empty":
        return emptied(machine, call)
    if name in own_state.GETTERS:
        return own_state.state(machine, receiver)
    if name in STATE:
        return state_of(machine, node, receiver, name)
    if name in PARTS:
        one_by_one = name == "named_children" and by_name(machine, node, receiver)
        return one_by_one or listed(machine, node, name, receiver.tagged(AllParts()))
    if name in ATTACHES:
        return attached(machine, call)
    if names_use(name) or (name == "update" and is_metric(machine, receiver)):
        return machine.compute(node, receiver, arguments)
    owner = machine.instance(receiver.ref).type
    type_ = library_type(machine, owner)
    if isinstance(type_, Container) and name in OF_DICT:
        return listed(machine, node, OF_DICT[name], receiver)
    is_read = isinstance(type_, Model) and name in type_.reads
    is_known = is_read or name in STRUCTURE
    if has_parts(type_) and not is_known and gives_tensors(machine, arguments):
        return machine.compute(node, receiver, arguments)  # `net.features(x)`
    if not is_known and not (isinstance(owner, ClassInfo) and keeps_attributes(machine, owner)):
        module_state.escape(machine, receiver)
    return external_results.result(machine, node, Value(ref=Child(receiver.ref, name)), arguments)


def emptied(machine: Run, call: Call) -> Value:
    """`module.to_empty(device=..)` moves a module without what its parameters hold."""
    place = factories.placed(machine, call.node, call.arguments)
    if place is not None:
        module_state.move(machine, call.receiver, place[0], Origin(call.node, "moved here"))
    return call.receiver


def gives_tensors(machine: Run, arguments: Arguments) -> bool:
    """Whether something is given that is a tensor, or a batch."""
    given = [each.value for each in (*arguments, *arguments.mapped)]
    return any(operations.is_tensor(each) or batches.is_batch(each) for each in given)


def call_with_parts(machine: Run, call: Call) -> None:
    """`module.apply(function)` calls the function with each of its parts, and with itself."""
    given = call.arguments.get(0, "fn")
    parts = [] if given is None else [*module_state.parts(machine, call.receiver, set())]
    for part in parts:
        if given is not None and part.kind is Kind.MODULE:
            machine.apply(call.node, given.value, Arguments((Argument(call.node, part),)))


def attached(machine: Run, call: Call) -> Value:
    """`append(module)`, `insert(index, module)`, `add_module(name, module)` and their like."""
    node, name, receiver, arguments = call.node, call.name, call.receiver, call.arguments
    if name in ("append", "extend"):
        given, label = arguments.get(0, "module"), f"{written(node.func)}(..)"
        key: Key = ItemKey(node)
    elif name == "insert":
        given, label = arguments.get(1, "module"), f"{written(node.func)}(..)"
        key = ItemKey(node)
    else:
        given = arguments.get(1, ATTACHED.get(name, "module")) or arguments.get(None, "parameter")
        named = arguments.get(0, "name")
        label = str(named.value.payload) if named is not None else name
        is_known = named is None or isinstance(named.value.payload, str)
        key = label if is_known else ItemKey(node)
    if given is None:
        return receiver
    value = element(machine, given.value, node) if name == "extend" else given.value
    if name == "register_buffer":
        buffer = module_state.Registered(receiver.ref, label)
        value = plain_attributes.registered(module_state.parameter(value).tagged(buffer))
        if plain_attributes.replaces_state(machine, receiver, label):
            machine.publish(StateReplaced(node, receiver, label, given.value))
    if isinstance(library_type(machine, machine.instance(receiver.ref).type), Container):
        value = plain_attributes.as_item(value)
    source = None if name == "extend" else given.node
    attach(machine, receiver, key, value, node, label, source)
    return receiver


def state_of(machine: Run, node: ir.Call, receiver: Value, name: str) -> Value:
    """A state dict, or the parameters and buffers one by one."""
    device, origin = module_state.module_device(machine, receiver)
    if receiver.device.is_known and machine.instance(receiver.ref).move is None:
        device, origin = receiver.device, receiver.origin
    origin = state_origin(machine, receiver, device, origin, node)
    if not device.is_known:
        device = like(receiver.ref, "the module")
    # Of all parameters of a module hardly one is 0-dimensional.
    if name == "state_dict":
        made = machine.make(node, Instance(tags=(ParameterName(),)), Kind.CONTAINER)
        return replace(made, device=device, dimensions=ARRAY, origin=origin)
    part = module_state.PartOf(receiver.ref)
    each = Value(Kind.TENSOR, device, dimensions=ARRAY, payload=part, origin=origin)
    return listed(machine, node, name, each)


def by_name(machine: Run, node: ir.Call, module: Value) -> Value | None:
    """The names and children of a module one by one, for a function that puts others in the places
    of some, where they are known and few."""
    function, instance = machine.function, machine.instance(module.ref)
    words = function.words if isinstance(function, ir.Def) else machine.module.words
    children = [(key, each) for key, each in instance.contents if each.kind is Kind.MODULE]
    names = [key if isinstance(key, str) else key.at for key, _ in children]
    is_bare = isinstance(instance.type, Layer) and not instance.type.holds_state  # `nn.ReLU()`
    if "setattr" not in words or len(children) > FEW or not (children or is_bare):
        return None
    if not all(isinstance(each, (str, int)) for each in names):
        return None
    texts = [Value(Kind.CONSTANT, payload=str(each)) for each in names]
    pairs = [
        inner(machine, node, at, {ItemKey(0): text, ItemKey(1): child})
        for at, (text, (_, child)) in enumerate(zip(texts, children, strict=True))
    ]
    return container(machine, node, numbered(pairs) if pairs else {ANY: NEVER})


def listed(machine: Run, node: ir.Call, name: str, item: Value) -> Value:
    """What iterates over parts of a module: one stands for all of them."""
    if name.startswith("named_"):
        text = NOTHING.tagged(ParameterName()) if name in STATE else NOTHING
        item = container(machine, node.func, {ItemKey(0): text, ItemKey(1): item})
    return container(machine, node, {ANY: item})


def moved(machine: Run, node: ir.Call, fact: Moves, receiver: Value, arguments: Arguments) -> Value:
    if fact.how != "cpu" and transfers.destination(fact, arguments) is not None:
        saved_files.reached(machine, receiver, node)
    return transfers.moved(machine, node, fact, receiver, arguments)
