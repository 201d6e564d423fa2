"""What calls of methods give."""

from __future__ import annotations

from dataclasses import dataclass, replace

from devlint.facts.dimensions import Size
from devlint.facts.effect import Makes, Moves
from devlint.facts.table import method_fact
from devlint.interpret.calls import alternatives, attributes, autograd_functions, known_functions
from devlint.interpret.calls.inlining import invoke
from devlint.interpret.calls.observers import OBSERVED
from devlint.interpret.core import module_state
from devlint.interpret.core.call import NO_RECEIVER, Argument, Arguments, Call
from devlint.interpret.core.definitions import is_decorated
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.scopes import ClassInfo, Function
from devlint.interpret.core.signals import Calling, ChangedInPlace
from devlint.interpret.modules import derived, hooks, module_calls, own_state
from devlint.interpret.modules.module_methods import (
    ATTACHES,
    FLUENT,
    PARTS,
    STATE,
    STRUCTURE,
    gives_tensors,
    listed,
    moved,
    of_module,
    state_of,
)
from devlint.interpret.objects import container_methods, copies, loaders, optimizers
from devlint.interpret.tensors import external_results, method_evidence, operations
from devlint.lower import ir
from devlint.queries.name_conventions import names_use
from devlint.queries.tensor_evidence import TENSOR_WORDS
from devlint.values import texts
from devlint.values.instance import Instance
from devlint.values.payload import Payload
from devlint.values.value import NOTHING, Kind, OneOf, Value

#: Methods of dicts and lists that give what is in them.
INNER = frozenset("get pop items values keys copy setdefault popitem".split())


@dataclass(frozen=True, slots=True)
class Super(Payload):
    """`super()` inside a method of `owner`."""

    owner: ClassInfo
    receiver: Value


#: Methods of arrays that give an array of as many dimensions, but of so many at least.
OF_ARRAYS = {"astype": 0, "clip": 0, "copy": 0, "round": 0, "flatten": 1, "ravel": 1, "reshape": 1}


def apply(machine: Run, call: Call) -> Value:
    """What a method gives, by its receiver: one that is analysed, one of a library, any other."""
    name, receiver = call.name, call.receiver
    if isinstance(receiver.payload, OneOf):
        ways = alternatives.ways(receiver)
        return alternatives.each(machine, ways, lambda o: apply(machine, replace(call, receiver=o)))
    if receiver.kind is Kind.IMPORTED and isinstance(call.node.func, ir.Attribute):
        named = attributes.imported(machine, call.node.func, receiver.payload)
        return machine.apply(call.node, named, call.arguments)
    if isinstance(receiver.payload, Super):
        return of_base(machine, receiver.payload, call)
    if receiver.kind is Kind.CLASS and isinstance(receiver.payload, ClassInfo):
        return of_class(machine, receiver.payload, call)
    observed(machine, call)
    every = alternatives.sides(machine, receiver)
    if len(every) > 1 and any(in_view(machine, each, name) for each in every):
        test = alternatives.test_of(receiver)
        return alternatives.each(machine, every, lambda one: used(machine, call, one), test)
    return used(machine, call, every[0] if len(every) == 1 else receiver)


def used(machine: Run, call: Call, receiver: Value) -> Value:
    """What a method gives of an object, one that is in view above all."""
    node, name = call.node, call.name
    if receiver is not call.receiver:
        call = replace(call, receiver=receiver)
    function = in_view(machine, receiver, name)
    if function is not None and not is_decorated(function, attributes.PROPERTIES):
        return invoke(machine, function, call.arguments, node, receiver)
    known = machine.libraries.method(receiver.payload, name)
    if receiver.kind is Kind.OBJECT and known is not None:
        takes_self = known.signature.startswith("self")
        function_call = unbound(call) if takes_self else replace(call, receiver=NO_RECEIVER)
        return known_functions.apply(machine, known, function_call)
    held = attributes.held(machine, receiver, name)
    if held is not None:
        return machine.apply(node, held, call.arguments)
    return of_kind(machine, call)


def unbound(call: Call) -> Call:
    """The call of a method as one of a function, whose first argument is the receiver."""
    assert isinstance(call.node.func, ir.Attribute)
    whole = Argument(call.node.func.value, call.receiver)
    given = replace(call.arguments, positional=(whole, *call.arguments.positional))
    return replace(call, receiver=NO_RECEIVER, arguments=given)


def observed(machine: Run, call: Call) -> None:
    """Tell those of a call who want to know."""
    name = call.name
    machine.publish(Calling(call))
    if name[-1] == "_" and name[0] != "_":
        machine.publish(ChangedInPlace(call.node, call.receiver))
    for observer in OBSERVED.get(name, ()):
        observer(machine, call)


def of_kind(machine: Run, call: Call) -> Value:
    """What a method out of view does, by the kind of its receiver."""
    name, receiver = call.name, call.receiver
    project = machine.libraries.project
    if project is not None and (own := project.method(machine, call)) is not None:
        return own
    if name == "_replace":
        return copies.altered(machine, call.node, unbound(call).arguments)
    if receiver.kind is Kind.CONSTANT:
        return of_text(machine, call)
    if receiver.kind is Kind.CONTAINER:
        return container_methods.method(machine, call)
    if derived.is_plain_container(machine, receiver):
        whole = replace(receiver, kind=Kind.CONTAINER)
        return container_methods.method(machine, replace(call, receiver=whole))
    if optimizers.is_optimizer(receiver) and name not in STATE:
        return optimizers.called(machine, call)
    if isinstance(receiver.payload, autograd_functions.Context):
        return autograd_functions.of_context(machine, call)
    if receiver.kind is Kind.GENERATOR:
        return receiver if name == "manual_seed" else NOTHING
    if module_state.is_module(machine, receiver):
        return of_module(machine, call)
    if receiver.kind is Kind.TENSOR:
        return of_tensor(machine, call)
    if receiver.kind is Kind.ARRAY and name in OF_ARRAYS:
        return Value(Kind.ARRAY, dimensions=receiver.dimensions.at_least(OF_ARRAYS[name]))
    return loaders.stepped(machine, call) or of_unknown(machine, call)


def in_view(machine: Run, receiver: Value, name: str) -> Function | None:
    type_ = machine.instance(receiver.ref).type
    return type_.method(name) if isinstance(type_, ClassInfo) else None


def of_base(machine: Run, parent: Super, call: Call) -> Value:
    """What a method of a base class gives; a constructor makes a part of the object."""
    is_making = call.name == "__init__"
    for base in parent.owner.bases:
        if isinstance(base.payload, ClassInfo):
            function = base.payload.method(call.name)
            if function is not None:
                receiver, arguments = parent.receiver, call.arguments
                return invoke(
                    machine, function, arguments, call.node, receiver, is_certain=is_making
                )
    known = derived.inherited(machine, parent.owner, parent.receiver, call)
    if known is not None or is_making:
        return known or NOTHING
    return of_module(machine, replace(call, receiver=parent.receiver))


def of_class(machine: Run, owner: ClassInfo, call: Call) -> Value:
    function = owner.method(call.name)
    if call.name == "apply" and function is None and owner.is_function:
        return autograd_functions.applied(machine, owner, call)
    if function is None:
        guess = machine.libraries.calls.get(call.name)
        made = None if guess is None else guess(machine, call)
        return made or of_unknown(machine, replace(call, receiver=NOTHING))
    is_bound = is_decorated(function, {"classmethod"})
    receiver = Value(Kind.CLASS, payload=owner) if is_bound else None
    is_making = call.name == "__init__"
    return invoke(machine, function, call.arguments, call.node, receiver, is_certain=is_making)


def of_text(machine: Run, call: Call) -> Value:
    """`"cuda:{}".format(i)` names some accelerator."""
    template = call.receiver.payload
    if call.name != "format" or not isinstance(template, str):
        return NOTHING
    fields = [each.value for each in call.arguments.positional]
    if not call.arguments.keywords and (made := texts.formatted(template, fields)) is not None:
        return attributes.known(machine, made)
    return attributes.indexed_device(machine, template.partition("{")[0])


def of_tensor(machine: Run, call: Call) -> Value:
    fact = method_fact(call.name)
    if call.name == "register_hook" and call.arguments.positional:
        return hooked(machine, call)
    if fact is None:
        return NOTHING
    if isinstance(fact, Moves):
        return moved(machine, call.node, fact, call.receiver, call.arguments)
    return known_functions.apply(machine, fact, unbound(call))


def hooked(machine: Run, call: Call) -> Value:
    """`x.register_hook(function)` calls that with the gradient of `x`, as if it came at once, but
    not before an object is made: by then it may have been moved."""
    if any(isinstance(each, ir.Def) and each.name == "__init__" for each in machine.running):
        return NOTHING
    gradient = operations.follow(call.receiver, call.receiver.dimensions)
    given = Arguments((Argument(call.node, gradient),))
    machine.apply(call.node, call.arguments.positional[0].value, given)
    return NOTHING


def of_unknown(machine: Run, call: Call) -> Value:
    """The receiver may be a tensor, a module, a batch, a checkpoint or none of them."""
    node, name, receiver = call.node, call.name, call.receiver
    fact = method_fact(name)
    if isinstance(fact, Moves):
        return moved(machine, node, fact, receiver, call.arguments)
    if method_evidence.is_of_array(call):
        machine.tensors.update((receiver.ref, machine.key(node)))  # What it gives is one, if moved.
    if method_evidence.is_of_tensor(call):
        tensor = replace(receiver, kind=Kind.TENSOR, ref=None)
        return of_tensor(machine, replace(call, receiver=tensor))
    if name in FLUENT:
        return receiver
    guess = machine.libraries.calls.get(name)
    if guess is not None and (known := guess(machine, call)) is not None:
        return known
    if name == "get" and (device := option(machine, call)) is not None:
        return device
    if name == "to_empty" or is_of_module(machine, receiver, name):
        return of_module(machine, call)
    held = of_holder(machine, node, receiver, name)
    if held is not None:
        return held
    model = None if is_of_data(name) else own_state.owner(machine, receiver)
    if model is not None and gives_tensors(machine, call.arguments):
        return machine.compute(node, model, call.arguments)  # `net.encoder.layer(x)`
    if receiver.device.is_partly_known and fact is not None and not is_size(fact):
        # Without its key: that it is called so does not show that it is a tensor.
        kind = Kind.TENSOR if name in TENSOR_WORDS else receiver.kind
        return of_tensor(machine, replace(call, receiver=replace(receiver, kind=kind, ref=None)))
    return out_of_view(machine, call)


def is_of_data(name: str) -> bool:
    """Whether tensors, lists, sets or dicts have such a method."""
    return method_fact(name) is not None or any(hasattr(each, name) for each in (list, set, dict))


def option(machine: Run, call: Call) -> Value | None:
    """`options.get("device", "cpu")`, and `options.get("section", "device")`."""
    if not isinstance(call.node.func, ir.Attribute):
        return None
    whole, keys = call.node.func.value, (each.value.payload for each in call.arguments)
    found = (attributes.item_for_device(machine, whole, call.receiver, key) for key in keys)
    return next((each for each in found if each is not None), None)


def is_of_module(machine: Run, receiver: Value, name: str) -> bool:
    """Whether what has been moved as modules are, or is one, is asked for what only they do."""
    if name in hooks.REGISTERING and module_state.is_part_of_model(machine, receiver.ref):
        return True
    if machine.instance(receiver.ref).move is not None:
        return name in STATE or name in ATTACHES or names_use(name)
    return names_use(name) and module_calls.may_hold_state(machine, receiver)


def of_holder(machine: Run, node: ir.Call, receiver: Value, name: str) -> Value | None:
    """What an object that holds tensors or modules gives of them."""
    if name in STATE:
        return state_of(machine, node, receiver, name)
    if name in PARTS and machine.instance(receiver.ref).move is not None:
        return listed(machine, node, name, receiver)
    if name in INNER:
        return Value(device=receiver.device, ref=receiver.ref, origin=receiver.origin)
    return None


def out_of_view(machine: Run, call: Call) -> Value:
    """A method of which nothing is known may do anything to what it gets."""
    for argument in call.arguments:
        module_state.escape(machine, argument.value)
    if call.name not in STRUCTURE:
        module_state.escape(machine, call.receiver)
    known = machine.libraries.external(machine, call)
    if known is not None:
        return known
    made = machine.make(call.node, Instance())
    return external_results.output(machine, call.node, made, call.arguments)


def is_size(fact: object) -> bool:
    return isinstance(fact, Makes) and fact.size is Size.UNKNOWN
