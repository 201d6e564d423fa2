"""Copies of objects."""

from __future__ import annotations

from dataclasses import replace

from devlint.interpret.core.call import Arguments
from devlint.interpret.core.copies import copies
from devlint.interpret.core.interpreter import Run
from devlint.lower import ir
from devlint.values.value import NOTHING, Value


def copied(machine: Run, node: ir.Call, arguments: Arguments) -> Value:
    """A copy is another object in the same state, with copies of all that it holds."""
    value = arguments.positional[0].value if arguments.positional else NOTHING
    if not machine.has_instance(value.ref):
        return value
    site = machine.key(node)
    for ref, copy in copies(machine, value, lambda ref: ("copy", ref, site)):
        machine.put(ref, copy)
    return replace(value, ref=("copy", value.ref, site))


def altered(machine: Run, node: ir.Call, arguments: Arguments) -> Value:
    """`dataclasses.replace(x, a=1)`: another object, with other values of some fields."""
    value = arguments.positional[0].value if arguments.positional else NOTHING
    if not machine.has_instance(value.ref):
        return NOTHING
    before = machine.instance(value.ref)
    given = {name: argument.value for name, argument in arguments.keywords.items()}
    after = replace(before, attributes={**before.attributes, **given})
    return machine.put(machine.key(node), after, value.kind)


#: By their names.
FUNCTIONS = {
    "copy.deepcopy": copied,
    "copy.copy": copied,
    "copy.replace": altered,
    "dataclasses.replace": altered,
}
