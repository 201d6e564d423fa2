"""Functions and classes that no code in view calls, looked at by themselves."""

from __future__ import annotations

from typing import Any

from devlint.flow.state import State
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.scopes import ClassInfo, Frame
from devlint.interpret.language.entry_classes import examine_class
from devlint.interpret.language.entry_functions import examine
from devlint.interpret.language.entry_order import between, in_order, is_open
from devlint.interpret.language.last_writes import UNSET
from devlint.interpret.tensors import factories
from devlint.lower import ir
from devlint.values.value import NOTHING, Value


def finish(machine: Run, frame: Frame) -> None:
    """Look at what was defined in a frame and never called, with the names as they ended up; at
    what the program has called, with the names as they were then."""
    if not frame.defined:
        return
    end = frame.ends[-1][0] if frame.ends else machine.state
    if end is None:
        return
    if frame is machine.top:
        forget_rebound(machine, end)
    for each in in_order(machine, frame.defined):
        if each.node in machine.finished:
            continue
        machine.finished.add(each.node)
        machine.state = end.fork()
        if isinstance(each, ClassInfo):
            examine_class(machine, each)
            continue
        if each.node in frame.since:
            machine.state = between(frame.since[each.node], end)
        elif each.node in machine.called:
            machine.state = machine.called[each.node].fork()
            forget_rebound(machine, machine.state)
        if not each.is_method and is_open(machine, each):
            if each.node in machine.contexts:
                factories.forget_default(machine)
            examine(machine, each, None)


def forget_rebound(machine: Run, end: State[Any]) -> None:
    """Names of the module that functions rebind may be anything by the time others run."""
    for node in machine.seeds.definitions:
        for statement in node.body:
            if isinstance(statement, ir.Scope) and statement.kind == "global":
                for name in statement.names:
                    before = end.get((machine.top, name))
                    is_none = isinstance(before, Value) and before.is_none
                    end.put((machine.top, name), UNSET if is_none else NOTHING)
