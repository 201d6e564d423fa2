"""Tests of accelerators, and what makes sure of one."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.api import SILENT, Sense, children, ir, is_guard, last_word, senses, walk


def flags(block: Iterable[ir.Node]) -> frozenset[str]:
    """The names, in a block and all in it, of what tests of accelerators gave."""
    assigned = (each for node in block for each in walk(node) if isinstance(each, ir.Assign))
    return frozenset(
        last_word(target)
        for each in assigned
        if senses(each.value) != SILENT or asks(each.value)
        for target in each.targets
    )


def asked(block: Iterable[ir.Node], printed: frozenset[str]) -> ir.Node | None:
    """The first test in a block, functions in it apart, of whether there is an accelerator, for
    more than names that are only `printed`."""
    for node in block:
        if isinstance(node, (ir.If, ir.Conditional)) and asks(node.test):
            return node.test
        if not is_idle(node, printed) and not isinstance(node, (ir.Def, ir.Class)):
            found = asked(children(node), printed)
            if found is not None:
                return found
    return None


def is_idle(node: ir.Node, printed: frozenset[str]) -> bool:
    """Whether a statement only sets names that are only `printed`."""
    targets = node.targets if isinstance(node, ir.Assign) else ()
    names = {each.id for each in targets if isinstance(each, ir.Name)}
    return bool(names) and len(names) == len(targets) and names <= printed


def asks(test: ir.Expression) -> bool:
    """Whether a test is true where there is an accelerator."""
    calls = (each for each in walk(test) if isinstance(each, ir.Call))
    is_asked = any(last_word(each.func) == "is_available" for each in calls)
    return is_asked and senses(test)[1] is Sense.CPU


def makes_sure(statement: ir.Statement) -> bool:
    """Whether nothing that comes after a statement runs without an accelerator, or where others
    than the current one are meant."""
    return leaves(statement) or sets_device(statement)


def leaves(statement: ir.Statement) -> bool:
    """`if not torch.cuda.is_available(): return`"""
    if not isinstance(statement, ir.If) or not is_guard(statement.test):
        return False
    last = statement.body[-1]
    if isinstance(last, ir.Evaluate) and isinstance(last.value, ir.Call):
        return last_word(last.value.func) in ("exit", "skipTest")
    return isinstance(last, (ir.Return, ir.Raise))


def sets_device(statement: ir.Statement) -> bool:
    """`torch.cuda.set_device(device)` refuses the CPU, and makes the device the current one."""
    call = statement.value if isinstance(statement, ir.Evaluate) else None
    return isinstance(call, ir.Call) and last_word(call.func) == "set_device"
