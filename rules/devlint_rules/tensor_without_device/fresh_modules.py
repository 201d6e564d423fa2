"""Modules that a function makes, called with what its caller has placed."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from devlint.api import (
    ON_CPU,
    Analysis,
    Call,
    ClassInfo,
    Factory,
    Kind,
    Like,
    Made,
    ModuleCalled,
    Operand,
    Problem,
    Run,
    Value,
    device_expressions,
    effect,
    ir,
    is_certain_tensor,
    module_state,
    on,
    optimized_models,
    outermost,
    walk,
    written,
)
from devlint_rules.tensor_without_device.analysis import fix
from devlint_rules.tensor_without_device.callers import is_before_moves, is_of_caller, placed
from devlint_rules.tensor_without_device.module_copies import construction


class FreshModules(Analysis[Run]):
    """Reports modules that are on the CPU because they have just been made."""

    is_failure = True

    @on(ModuleCalled)
    def compute(self, signal: ModuleCalled) -> None:
        made = made_here(self.run, signal.module)
        if made is None or is_own_part(self.run, signal.module) or is_before_moves(self.run):
            return
        for given, like in inputs(self.run, signal.call):
            is_tensor = takes_tensors(self.run, signal.module) or is_certain_tensor(self.run, given)
            if is_tensor and is_of_caller(self.run, like):
                self.run.report(self, problem(self.run, made, signal.call.node, given, like))
                return


def is_own_part(run: Run, module: Value) -> bool:
    """Whether the module whose method runs has kept it: it moves along from then on."""
    whole = run.frame.receiver
    if whole is None or whole.kind is not Kind.MODULE:
        return False
    return any(each.ref == module.ref for each in run.instance(whole.ref).attributes.values())


def takes_tensors(run: Run, module: Value) -> bool:
    """Whether all that a module can be called with is tensors."""
    type_ = run.instance(module.ref).type
    return isinstance(type_, effect.Layer) and not type_.is_metric


def made_here(run: Run, module: Value) -> ir.Call | None:
    """The call, in a function that runs, that has made a module on the CPU where it still is."""
    ref = outermost(module.ref)
    made = construction(ref)
    if made is None or not is_local(run, ref, made):
        return None
    if optimized_models.is_placed(made) or run.instance(module.ref).move is not None:
        return None
    if places_itself(run.instance(ref).type):
        return None
    whole = Value(Kind.MODULE, ref=ref)
    places = {device for device, _ in module_state.state_devices(run, whole)}
    is_moved = run.instance(ref).move is not None
    return made if places == {ON_CPU} and not is_moved else None


def places_itself(type_: object) -> bool:
    """Whether what a module consists of goes where its input is, or is where what it was given is:
    its `forward` asks for a device, or it is a loss, which holds but weights that it is given."""
    if isinstance(type_, effect.Layer):
        return type_.is_loss
    forward = type_.method("forward") if isinstance(type_, ClassInfo) else None
    node = forward.node if forward else None
    return isinstance(node, ir.Def) and "device" in node.words


def is_local(run: Run, ref: Hashable, made: ir.Call) -> bool:
    """Whether the function that runs has made an object, or one that has called it."""
    path = ref.path if isinstance(ref, Made) else ()
    if run.frame is run.top or run.frame.path[: len(path)] != path:
        return False
    return path == run.frame.path or any(made in run.once(calls_in, each) for each in run.running)


def calls_in(node: ir.Node) -> frozenset[ir.Node]:
    return frozenset(each for each in walk(node) if isinstance(each, ir.Call))


def inputs(run: Run, call: Call) -> Iterator[tuple[Operand, Like]]:
    """What a module is called with that is where an argument is."""
    for argument in call.arguments:
        device = argument.value.device
        if device.is_like and device.arms is None and argument.value.kind is not Kind.CONTAINER:
            name = written(argument.node)
            yield Operand(argument.node, name, argument.value, is_exempt=True), device.likes[0]


def problem(run: Run, made: ir.Call, call: ir.Call, given: Operand, like: Like) -> Problem:
    place, _ = device_expressions.beside(run, call, made, given, like)
    module = Factory(made, "module", takes_device=False)
    return Problem(
        made,
        f"this module is made on the CPU and is called with {given.told('a tensor')}, which is "
        f"{placed(given, like)}: on an accelerator this raises",
        later=((call, "it is called here"),),
        fix=fix(module, place, is_sure=False),
    )
