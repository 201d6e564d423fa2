"""Copies of objects."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from devlint.interpret.core.call import Arguments
from devlint.interpret.core.copies import copies
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.object_ids import Copied
from devlint.interpret.core.scopes import tuple_fields
from devlint.interpret.objects.records import in_places
from devlint.lower import ir
from devlint.values.alternatives import Either
from devlint.values.value import NOTHING, Kind, Value


def copied(machine: Run, node: ir.Call, arguments: Arguments) -> Value:
    """A copy is another object in the same state, with copies of all that it holds."""
    value = arguments.positional[0].value if arguments.positional else NOTHING
    if not machine.has_instance(value.ref):
        return value
    site = machine.key(node)
    for ref, copy in copies(machine, value, lambda ref: copy_of(ref, site)):
        machine.put(ref, copy)
    return replace(value, ref=copy_of(value.ref, site))


def copy_of(ref: Hashable, site: Hashable) -> Hashable:
    """The key of a copy; what a place has made, it makes again in the next round of a loop."""
    return made_at(site, ref) or Copied(ref, site)


def made_at(site: Hashable, ref: Hashable) -> Hashable | None:
    """The copy that a place has made, where an object is, or may be, one or a copy of that."""
    match ref:
        case Copied():
            return ref if ref.site == site else made_at(site, ref.parent)
        case Either():
            return made_at(site, ref.one) or made_at(site, ref.other)
    return None


def altered(machine: Run, node: ir.Call, arguments: Arguments) -> Value:
    """`dataclasses.replace(x, a=1)`, `x._replace(a=1)`: another object, with other values of some
    fields."""
    value = arguments.positional[0].value if arguments.positional else NOTHING
    if not machine.has_instance(value.ref):
        return NOTHING
    before = machine.instance(value.ref)
    given = {name: argument.value for name, argument in arguments.keywords.items()}
    held, fields = {**before.attributes, **given}, tuple_fields(before.type)
    items = before.items if fields is None else in_places(fields, held)
    after = replace(before, attributes=held, items=items)
    return machine.put(machine.key(node), after, value.kind)


def shallow(machine: Run, node: ir.Call, arguments: Arguments) -> Value:
    """`copy.copy(module)` holds the same parts: who moves one of the two moves those."""
    value = arguments.positional[0].value if arguments.positional else NOTHING
    return value if value.kind is Kind.MODULE else copied(machine, node, arguments)


#: By their names.
FUNCTIONS = {
    "copy.deepcopy": copied,
    "copy.copy": shallow,
    "copy.replace": altered,
    "dataclasses.replace": altered,
}
