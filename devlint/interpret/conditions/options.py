"""Flags that calls hand on: what a test of one would not decide is not decided in the callee."""

from __future__ import annotations

from dataclasses import replace
from operator import is_

from devlint.interpret.conditions.branch_conditions import condition
from devlint.interpret.core.call import Argument, Arguments
from devlint.interpret.core.expression_keys import key_of
from devlint.interpret.core.interpreter import Run
from devlint.lower import ir
from devlint.values.value import NOTHING, Value


def handed_on(machine: Run, arguments: Arguments) -> Arguments:
    """The arguments of a call, with the tests that options of the program stand for."""
    positional = tuple(handed(machine, each) for each in arguments.positional)
    keywords = {name: handed(machine, each) for name, each in arguments.keywords.items()}
    are_same = all(map(is_, positional, arguments.positional)) and all(
        map(is_, keywords.values(), arguments.keywords.values())
    )
    return arguments if are_same else replace(arguments, positional=positional, keywords=keywords)


def handed(machine: Run, given: Argument) -> Argument:
    """`Net(gpu=GPU)`: whoever edits `GPU = False` decides `if GPU:` and what the net asks alike."""
    if not isinstance(given.node, (ir.Name, ir.Attribute)):
        return given
    is_open = given.value == NOTHING and isinstance(key_of(machine, given.node), str)
    is_flag = isinstance(given.value.payload, bool) and machine.evaluate(given.node) == given.value
    if not is_open and not is_flag:
        return given  # An item of `**options` is written out, as a rule.
    test = condition(machine, given.node)
    return given if test.known is not None else replace(given, value=Value(payload=test))
