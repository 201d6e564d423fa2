"""Objects of classes in view that a base class out of view makes of a file."""

from __future__ import annotations

from devlint.interpret.core import module_state
from devlint.interpret.core.call import Arguments, Call
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.scopes import ClassInfo
from devlint.values.device import UNKNOWN
from devlint.values.value import Value


def made_of_file(machine: Run, call: Call, *, is_on_cpu: bool) -> Value | None:
    """A module of the class in view that has the method; None of anything else."""
    owner, arguments = call.receiver.payload, call.arguments
    if not isinstance(owner, ClassInfo) or not owner.is_module:
        return None
    value = machine.apply(call.node, call.receiver, Arguments(is_open=True))
    if not is_on_cpu or arguments.is_open or arguments.mapped:
        module_state.place(machine, value, UNKNOWN, all_of_it=True)
    return value
