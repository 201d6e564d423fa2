"""What a function is told that calls another one: the device where it is to put things."""

from __future__ import annotations

from devlint.api import Run, class_summary, ir, is_name, names_device_variable, walk, written

MOVES = frozenset({"to", "cuda", "cpu"})


def told_device(run: Run, call: ir.Call) -> str | None:
    """The device that the function which runs was told, or its object, as the function writes it;
    none if it moves what the call gives."""
    caller = run.function
    if not isinstance(caller, ir.Def) or is_moved(caller, call):
        return None
    own = (each.name for each in caller.params if names_device_variable(each.name))
    read = next((name for name in own if any(is_name(n, name) for n in walk(caller))), None)
    return read or kept(run)


def kept(run: Run) -> str | None:
    """The attribute that keeps what the constructor of an object was told."""
    owner = run.frame.owner
    init = owner.method("__init__") if owner is not None else None
    if owner is None or init is None:
        return None
    for parameter in init.node.params:
        if names_device_variable(parameter.name):
            assignment = class_summary.assignment_in_init(owner, parameter.name)
            if assignment is not None and is_name(assignment.value, parameter.name):
                return f"self.{parameter.name}"
    return None


def is_moved(caller: ir.Def, call: ir.Call) -> bool:
    """Whether what a call gives is moved, by its expression or under the name it is bound to."""
    names = {
        written(target)
        for node in walk(caller)
        if isinstance(node, ir.Assign) and node.value is call
        for target in node.targets
    }
    moves = (node.func for node in walk(caller) if isinstance(node, ir.Call))
    moved = [m.value for m in moves if isinstance(m, ir.Attribute) and m.name in MOVES]
    return any(each is call or written(each) in names for each in moved)
