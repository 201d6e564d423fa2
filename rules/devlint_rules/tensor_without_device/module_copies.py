"""Copies of a module that its own methods build, for `copy.deepcopy` to give."""

from __future__ import annotations

from collections.abc import Hashable

from devlint.api import (
    Analysis,
    ClassInfo,
    FunctionExamined,
    MethodsExamining,
    Problem,
    Run,
    Value,
    ir,
    maker,
    module_state,
    on,
    optimized_models,
)

#: By their contract these give what is as the module is, its device included.
METHODS = frozenset({"__deepcopy__", "__copy__"})


class ModuleCopies(Analysis[Run]):
    """Reports copies that are built without a device, and may be on the CPU in part."""

    @on(MethodsExamining)
    def ask(self, signal: MethodsExamining) -> None:
        signal.names |= METHODS

    @on(FunctionExamined)
    def examine(self, signal: FunctionExamined) -> None:
        function, run = signal.function, self.run
        if function.owner is None or function.name not in METHODS or run.state is None:
            return
        node, call = function.node, construction(signal.value.ref)
        if call is None or not isinstance(node, ir.Def):
            return
        if is_left_on_cpu(run, signal.value, call) and not any(map(is_attach, node.body)):
            message = (
                f"`{function.name}` builds the copy on the CPU, wherever the module is: what is "
                "not copied into it stays there"
            )
            run.report(self, Problem(call, message))


def is_left_on_cpu(run: Run, value: Value, call: ir.Call) -> bool:
    """Whether a call has made a module on the CPU, and nothing has moved it since."""
    if not module_state.is_module(run, value):
        return False
    instance = run.instance(value.ref)
    if instance.move is not None or optimized_models.is_placed(call):
        return False
    return holds_state(run, value)


def construction(ref: Hashable) -> ir.Call | None:
    node = maker(ref)
    return node if isinstance(node, ir.Call) else None


def holds_state(run: Run, value: Value) -> bool:
    """Whether the class makes parameters; the methods that replace them make them unknown."""
    type_ = run.instance(value.ref).type
    init = type_.method("__init__") if isinstance(type_, ClassInfo) else None
    is_maker = init and isinstance(init.node, ir.Def) and "Parameter" in init.node.words
    return bool(is_maker) or module_state.holds_cpu_state(run, value)


def is_attach(statement: ir.Node) -> bool:
    """Whether a statement, on every path, replaces what the copy was built with."""
    targets = statement.targets if isinstance(statement, ir.Assign) else ()
    return any(isinstance(target, ir.Attribute) for target in targets)
