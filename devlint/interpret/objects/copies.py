"""Copies of objects."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from devlint.interpret.core import module_state
from devlint.interpret.core.call import Arguments
from devlint.interpret.core.interpreter import Run
from devlint.lower import ir
from devlint.values.value import NOTHING, Value


def copied(machine: Run, node: ir.Call, arguments: Arguments) -> Value:
    """A copy is another object in the same state, with copies of all that it holds."""
    value = arguments.positional[0].value if arguments.positional else NOTHING
    held = [p.ref for p in module_state.parts(machine, value, set()) if machine.has_instance(p.ref)]
    copied_refs: dict[Hashable, Hashable] = {ref: ("copy", ref, machine.key(node)) for ref in held}
    for ref in held:
        copy = machine.instance(ref).with_each(
            lambda item: replace(item, ref=copied_refs.get(item.ref, item.ref))
        )
        machine.put(copied_refs[ref], replace(copy, attaches=()))
    return replace(value, ref=copied_refs.get(value.ref, value.ref))


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
