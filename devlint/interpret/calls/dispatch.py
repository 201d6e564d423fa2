"""What calls give: of functions in view, of PyTorch's, of modules, of anything else."""

from __future__ import annotations

from dataclasses import replace

from devlint.event import Reveal
from devlint.facts.effect import Container, Layer, Opaque
from devlint.facts.table import fact
from devlint.interpret.calls import (
    alternatives,
    attributes,
    known_functions,
    loader_functions,
    method_calls,
    named_attributes,
    special_methods,
)
from devlint.interpret.calls.construct import instantiate, share_parameters
from devlint.interpret.calls.inlining import invoke
from devlint.interpret.core import attachments, module_state
from devlint.interpret.core.arguments import evaluated
from devlint.interpret.core.call import NO_RECEIVER, Argument, Arguments, Call
from devlint.interpret.core.containers import items_of
from devlint.interpret.core.definitions import may_move
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.scopes import Bound, ClassInfo, Function, Record
from devlint.interpret.core.signals import Called, Calling, LoaderMade, ModuleCalled, ModuleFed
from devlint.interpret.modules import derived, hooks, layers, module_calls
from devlint.interpret.objects import (
    builtins,
    callers,
    copies,
    imported_modules,
    loaders,
    optimizers,
    records,
    saved_files,
)
from devlint.interpret.tensors import external_results, factories, operations
from devlint.lower import ir
from devlint.queries.name_conventions import names_class, names_training
from devlint.values.instance import Instance
from devlint.values.origin import Origin
from devlint.values.tags import Apart, MadeOnCpu, ToldDevice
from devlint.values.value import NOTHING, Kind, Value, as_device


def call(machine: Run, node: ir.Call) -> Value:
    if isinstance(node.func, ir.Name) and node.func.id == "super":
        return inherited(machine)
    if isinstance(node.func, ir.Attribute):
        receiver = machine.evaluate(node.func.value)
        if receiver.kind is not Kind.IMPORTED:
            made = Call(node, node.func.name, receiver, evaluated(machine, node))
            if (own := named_attributes.updated(machine, made)) is not None:
                return own
            return machine.revise(Called(method_calls.apply(machine, made), made, receiver))
        callee = attributes.imported(machine, node.func, receiver.payload)
    else:
        callee = machine.evaluate(node.func)
    return apply(machine, node, callee, evaluated(machine, node))


def inherited(machine: Run) -> Value:
    """`super()`: the receiver, seen as one of the bases of the class that defines the method."""
    frame = machine.frame
    if frame.owner is None or frame.receiver is None:
        return NOTHING
    return Value(Kind.OBJECT, payload=method_calls.Super(frame.owner, frame.receiver))


def apply(machine: Run, node: ir.Call, callee: Value, arguments: Arguments) -> Value:
    value = applied(machine, node, callee, arguments)
    name = callee.payload if isinstance(callee.payload, str) else ""
    return machine.revise(Called(value, Call(node, name, NO_RECEIVER, arguments), callee))


def applied(machine: Run, node: ir.Call, callee: Value, arguments: Arguments) -> Value:
    every = alternatives.ways(callee)

    def use(one: Value) -> Value:
        return used(machine, node, one, arguments, is_sole=len(every) == 1)

    return alternatives.each(machine, every, use)


def used(
    machine: Run, node: ir.Call, callee: Value, arguments: Arguments, *, is_sole: bool
) -> Value:
    payload = callee.payload
    if callee.kind is Kind.IMPORTED:
        made = imported(machine, Call(node, str(payload), NO_RECEIVER, arguments))
        return factories.typed(machine, node, callee, made)
    if isinstance(payload, Function):
        value = invoke(machine, payload, arguments, node)
        note_training(machine, payload.name)
        return value
    if isinstance(payload, ClassInfo):
        return instantiate(machine, payload, arguments, node, is_sole=is_sole)
    if isinstance(payload, Bound):
        if payload.function is not None:
            return invoke(machine, payload.function, arguments, node, payload.receiver)
        return method_calls.apply(machine, Call(node, payload.name, payload.receiver, arguments))
    if isinstance(payload, callers.Partial):
        made = apply(machine, node, payload.function, payload.completed(arguments))
        return payload.result(made, arguments)
    if isinstance(payload, Record):
        return records.made(machine, node, payload, arguments)

    return computed_by_each(machine, node, callee, arguments)


def computed_by_each(machine: Run, node: ir.Call, callee: Value, arguments: Arguments) -> Value:
    """What one object computes, or each of those that it may be."""

    def use(one: Value) -> Value:
        return computed(machine, node, one, arguments)

    sides = alternatives.sides(machine, callee)
    return alternatives.each(machine, sides, use, alternatives.test_of(callee))


def imported(machine: Run, call: Call) -> Value:
    node, name, arguments = call.node, call.name, call.arguments
    if name in builtins.OF_ITERABLES:
        arguments = special_methods.gone_through(machine, arguments)
        call = replace(call, arguments=arguments)
    known = machine.libraries.of_project(name) or fact(name) or machine.libraries.fact(name)
    if isinstance(known, Opaque) and known.kind == "loader":
        device = loaders.loaded_from(machine, known, call)
        kind = loaders.kind(machine, name, arguments)
        loader_functions.call_functions(machine, call)
        origin = Origin(node, "loaded here")
        loader = Value(Kind.OBJECT, device, payload=kind, origin=origin)
        loader = loader_functions.collating(machine, call, loader)
        return machine.revise(LoaderMade(loader, call))
    if known is not None:
        return known_functions.apply(machine, known, call)
    if arguments.positional and (method := derived.of_base(name)) is not None:
        return of_base(machine, node, *method, arguments)
    last = name.rpartition(".")[2]
    special = SPECIAL.get(name)
    if special is not None:
        return special(machine, node, arguments)
    note_training(machine, last)
    if names_training(last):
        optimizers.handed(machine, node, arguments)
    machine.publish(Calling(call))
    return out_of_view(machine, Call(node, last, NO_RECEIVER, arguments))


def of_base(machine: Run, node: ir.Call, base: str, method: str, arguments: Arguments) -> Value:
    """`nn.Linear.__init__(self, ..)`, `nn.Linear.forward(self, x)`."""
    receiver = arguments.positional[0].value
    given = replace(arguments, positional=arguments.positional[1:])
    if method != "__init__":
        return passed(machine, node, receiver, fact(base), given)
    derived.construct(machine, Value(Kind.IMPORTED, payload=base), receiver, given, node)
    return NOTHING


def out_of_view(machine: Run, call: Call) -> Value:
    arguments = call.arguments
    known = known_outside(machine, call)
    if known is not None:
        return known
    is_placed = arguments.is_open or any(as_device(a.value) is not None for a in arguments)
    is_class = names_class(call.name) and not is_placed
    instance = Instance(external_results.outer(machine, call) if is_class else None)
    if is_placed:
        instance = instance.tagged(ToldDevice())
    elif external_results.is_on_cpu(arguments):
        instance = instance.tagged(MadeOnCpu())
    made = machine.make(call.node, instance)
    if not is_class:
        return external_results.result(machine, call.node, made, arguments)
    share_parameters(machine, arguments, made)
    return made


def known_outside(machine: Run, call: Call) -> Value | None:
    """What libraries know of a call of external code, which gets hold of all that it is given; of
    what has raised it never gets any."""
    module_state.escape_given(machine, call.arguments)
    if operations.has_raised(each.value for each in call.arguments):
        return Value(tags=(Apart(),))
    return machine.libraries.external(machine, call)


def note_training(machine: Run, name: str) -> None:
    if names_training(name):
        saved_files.trained(machine)


def computed(machine: Run, node: ir.Call, callee: Value, arguments: Arguments) -> Value:
    """A module, or an unknown object that may be one, is called, and then its hooks."""
    value = passed(machine, node, callee, derived.called_type(machine, callee), arguments)
    return hooks.called(machine, node, callee, arguments, value)


def passed(
    machine: Run, node: ir.Call, callee: Value, type_: object, arguments: Arguments
) -> Value:
    """A module computes, as one of a type does."""
    call = Call(node, "", callee, arguments)
    is_split = attachments.use(machine, callee, node)
    machine.publish(ModuleCalled(call, callee))
    saved_files.reached(machine, callee, node)
    if is_split or not module_calls.fed(machine, node, callee, type_, arguments):
        kind = Kind.TENSOR if isinstance(type_, (Layer, Container)) else Kind.UNKNOWN
        return Value(kind, tags=(Apart(),))
    machine.publish(ModuleFed(call, callee))
    if module_state.is_placing(machine, callee):
        return module_calls.output(machine, node, callee, arguments)
    if callee.payload == loaders.TRANSFORM:
        return loaders.transformed(machine, node, callee, arguments)
    if isinstance(type_, ClassInfo):
        return forwarded(machine, node, callee, type_, arguments)
    if isinstance(type_, (Layer, Container)) and not type_.is_metric:
        if layers.is_chain(machine, callee):
            return chained(machine, node, callee, arguments)
        return layers.output(machine, node, callee, type_, arguments)
    module_calls.meet_part(machine, node, callee, arguments)
    own = external_results.own_place(machine, callee, arguments)
    known = known_outside(machine, call)
    value = module_calls.output(machine, node, callee, arguments) if known is None else known
    if value.device.is_known:
        return value
    if own is not None:
        return replace(value, device=own)
    return external_results.output(machine, node, value, arguments)


def forwarded(
    machine: Run, node: ir.Call, callee: Value, owner: ClassInfo, arguments: Arguments
) -> Value:
    own = owner.method("__call__")
    forward = owner.method("forward") or own if owner.is_module else own
    if forward is None and owner.is_module:
        return module_calls.output(machine, node, callee, arguments)
    if forward is None or is_replaced(machine, callee, owner):
        return external_results.result(machine, node, NOTHING, arguments)
    machine.calls.append(node)
    value = invoke(machine, forward, arguments, node, callee)
    machine.calls.pop()
    return value


def is_replaced(machine: Run, module: Value, owner: ClassInfo) -> bool:
    """Whether other code, which may move, stands between a call of a module and its `forward`."""
    own = machine.instance(module.ref).attributes.get("forward")
    payload = None if own is None else own.payload
    function = payload.function if isinstance(payload, Bound) else payload
    is_plain = isinstance(function, Function) and isinstance(function.node, ir.Def)
    if own is not None and (not is_plain or may_move(machine, function)):
        return True
    return owner.is_module and may_move(machine, owner.method("__call__"))


def chained(machine: Run, node: ir.Call, callee: Value, arguments: Arguments) -> Value:
    """Each part is called with what the one before it gives; nothing is known of what one gives
    that is not known itself."""
    value = NOTHING
    for part in items_of(machine, callee):
        value = computed_by_each(machine, node, part, arguments)
        is_known = machine.instance(part.ref).type is not None
        if not (is_known or module_state.is_part_of_model(machine, part.ref)):
            value = NOTHING
        arguments = Arguments((Argument(node, value),))
    return value


def reveal(machine: Run, node: ir.Call, arguments: Arguments) -> Value:
    value = arguments.positional[0].value if arguments.positional else NOTHING
    device = value.device
    if not device.is_known and value.ref is not None:
        device, _ = module_state.module_device(machine, value)
    machine.emit(Reveal(node, device))
    return value


SPECIAL = {
    **builtins.FUNCTIONS,
    "builtins.reveal_device": reveal,
    "builtins.setattr": named_attributes.assign,
    "builtins.getattr": named_attributes.read,
    "builtins.vars": named_attributes.every,
    "torch.optim.swa_utils.update_bn": loaders.run_over,
    "builtins.open": lambda machine, node, arguments: saved_files.opened(machine, arguments),
    "functools.partial": callers.partial,
    "importlib.import_module": imported_modules.by_text,
    **copies.FUNCTIONS,
    **records.FUNCTIONS,
}
