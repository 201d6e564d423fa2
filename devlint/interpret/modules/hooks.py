"""Hooks of modules: what is called with their inputs, their outputs and the gradients of those."""

from __future__ import annotations

from dataclasses import dataclass, replace

from devlint.interpret.core import module_state
from devlint.interpret.core.call import Argument, Arguments, Call
from devlint.interpret.core.containers import container, numbered
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.object_ids import outermost
from devlint.interpret.core.scopes import Bound, ClassInfo, Function
from devlint.interpret.tensors import operations
from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.values.dimensions import ARRAY
from devlint.values.tags import Lasting
from devlint.values.value import NONE, NOTHING, Kind, Value

#: What registers a hook, and what that is called with.
REGISTERING = {
    "register_forward_pre_hook": "inputs",
    "register_forward_hook": "outputs",
    "register_full_backward_hook": "gradients",
    "register_backward_hook": "gradients",
}


@dataclass(frozen=True, slots=True)
class Hooked(Lasting):
    """Of a module: its hooks, those of each kind in the order in which they are called."""

    inputs: tuple[Value, ...] = ()
    outputs: tuple[Value, ...] = ()
    gradients: tuple[Value, ...] = ()


def register(run: Run, call: Call) -> None:
    module, function = call.receiver, call.arguments.get(0, "hook")
    kind = REGISTERING[call.name]
    if kind == "inputs" and (function is None or not only_looks(function.value)):
        module_state.placed(run, module)
    elif module.ref is not None and function is not None:
        instance = run.instance(module.ref)
        tag = instance.tag(Hooked) or Hooked()
        hooks = (*getattr(tag, kind), function.value)
        run.store(module.ref, instance.tagged(replace(tag, **{kind: hooks})))
        run.notes.hooked[module.ref] = None


def only_looks(hook: Value) -> bool:
    """Whether a hook is a function in view that gives nothing back: the inputs stay as they are."""
    function = hook.payload.function if isinstance(hook.payload, Bound) else hook.payload
    if not isinstance(function, Function) or not isinstance(function.node, ir.Def):
        return False
    returns = (node.value for node in walk(function.node) if isinstance(node, ir.Return))
    return all(isinstance(each, ir.Constant) and each.value is None for each in returns if each)


def called(run: Run, node: ir.Call, module: Value, arguments: Arguments, output: Value) -> Value:
    """The output, once all hooks have been called: each may give another one. Those of gradients,
    too, as if the backward pass came at once; and those of the parts of a library's module."""
    if run.notes.hooked and not isinstance(run.instance(module.ref).type, ClassInfo):
        call_inner(run, node, module, output)
    tag = run.instance(module.ref).tag(Hooked)
    if tag is None:
        return output
    inputs = container(run, node, numbered(each.value for each in arguments))
    for function in tag.inputs:
        run.apply(node, function, given(node, module, inputs))
    for function in tag.outputs:
        found = run.apply(node, function, given(node, module, inputs, output))
        output = output if found in (NONE, NOTHING) else found
    gradient = operations.follow(output, output.dimensions)
    for function in tag.gradients:
        whole = container(run, node.func, numbered([gradient]))
        run.apply(node, function, given(node, module, inputs, whole))
    return output


def call_inner(run: Run, node: ir.Call, module: Value, output: Value) -> None:
    """Call the hooks of the parts of a module, of which each gives something where the whole is."""
    others = [each for each in run.notes.hooked if each != module.ref]
    held = {part.ref for part in module_state.parts(run, module, set())} if others else set()
    for ref in others:
        is_part = ref in held or outermost(ref) == module.ref
        if is_part and not isinstance(run.instance(ref).type, ClassInfo):
            made = operations.follow(output, ARRAY)
            arguments = Arguments((Argument(node, made),))
            called(run, node, Value(Kind.MODULE, ref=ref), arguments, made)


def given(node: ir.Call, *values: Value) -> Arguments:
    return Arguments(tuple(Argument(node, each) for each in values))
