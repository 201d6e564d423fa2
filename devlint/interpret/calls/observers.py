"""What is noted when a method of some name is called, whatever it gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from devlint.interpret.core import module_state
from devlint.interpret.core.call import Call
from devlint.interpret.core.containers import items_of, joined
from devlint.interpret.core.definitions import may_move
from devlint.interpret.core.heap import DEFAULT
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.scopes import ClassInfo, Function
from devlint.interpret.modules import module_calls
from devlint.interpret.objects import optimizers, saved_files
from devlint.lower import ir
from devlint.queries.name_conventions import last_name, names_numeric_state
from devlint.values.alternatives import possible_objects
from devlint.values.device import ON_CPU
from devlint.values.value import NOTHING, Kind, Value

#: Kinds of objects whose state is plain numbers.
NUMERIC = ("scaler", "scheduler")


def loaded_into(machine: Run, call: Call) -> None:
    node, receiver = call.node, call.receiver
    assert isinstance(node.func, ir.Attribute)
    if receiver.payload in NUMERIC or names_numeric_state(last_name(node.func.value)):
        for argument in call.arguments:
            saved_files.left_as_numbers(machine, argument.value)
        return
    grow_state(machine, receiver)
    into, _ = module_state.module_device(machine, receiver)
    for argument in call.arguments:
        saved_files.reached(machine, argument.value, node, into)


def grow_state(machine: Run, value: Value) -> None:
    """What takes a state dict has state; a class that was given no device made it on the CPU."""
    instance = machine.instance(value.ref)
    if not isinstance(instance.type, module_state.Outer) or instance.type.given:
        return
    if instance.move is None and not instance.holds_state:
        machine.store(value.ref, replace(instance, holds_state=True, device=ON_CPU))


def restored(machine: Run, call: Call) -> None:
    optimizers.restored(machine, call.node, call.arguments)


def applied(machine: Run, call: Call) -> None:
    """A module's `apply` hands each part to a function, which may move it, unless it is one in view
    that moves nothing."""
    types = [machine.instance(each).type for each in possible_objects(call.receiver.ref)]
    if any(isinstance(each, ClassInfo) and each.method("apply") is not None for each in types):
        return
    function = call.arguments.get(0, "fn")
    given = None if function is None else function.value.payload
    is_known = isinstance(given, Function) and isinstance(given.node, ir.Def)
    if not is_known or may_move(machine, given):
        module_state.escape(machine, call.receiver)


def stepped(machine: Run, call: Call) -> None:
    saved_files.trained(machine)


def taken(machine: Run, call: Call) -> None:
    saved_files.reached(machine, call.receiver, call.node)


def scaled(machine: Run, call: Call) -> None:
    """`scaler.step(optimizer)`."""
    optimizers.handed(machine, call.node, call.arguments)


def assigned(machine: Run, call: Call) -> None:
    """`load_state_dict(assign=True)` puts tensors in the place of others, where they are."""
    given, state = call.arguments.get(2, "assign"), call.arguments.get(0, "state_dict")
    if given is not None and given.value.payload is True:
        found = NOTHING if state is None else state.value
        if found.kind is Kind.CONTAINER and not found.device.is_known:
            found = joined(items_of(machine, found))
        found = NOTHING if found.device.is_like else found
        module_state.place(machine, call.receiver, found.device, found.origin, all_of_it=True)


def entered(machine: Run, call: Call) -> None:
    """`stack.enter_context(torch.device("cuda"))` sets the default device, as `with` does."""
    for argument in call.arguments:
        if argument.value.kind is Kind.DEVICE:
            machine.here().put(DEFAULT, argument.value)


Observer = Callable[[Run, Call], None]
#: Methods by name, whoever has them, with what to note before they are called.
OBSERVED: dict[str, tuple[Observer, ...]] = {
    "load_state_dict": (loaded_into, restored, assigned),
    "apply": (applied,),
    "enter_context": (entered,),
    "backward": (stepped,),
    "step": (scaled,),
    **dict.fromkeys(["eval", "train"], (taken, module_calls.trained)),
    **dict.fromkeys(["parameters", "named_parameters"], (module_calls.trained,)),
    "forward": (taken,),
}
