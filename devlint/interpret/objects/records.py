"""Named tuples, and the fields that classes give their objects by default."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from devlint.interpret.core.call import Arguments
from devlint.interpret.core.containers import Anew, anew, numbered, sequence
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.scopes import ClassInfo, Record
from devlint.lower import ir
from devlint.values.instance import Instance, ItemKey
from devlint.values.value import NOTHING, Kind, Value

#: What an object is that holds what somebody may set: a device, too.
OPTIONS = "options"


def named_tuple(machine: Run, node: ir.Call, arguments: Arguments) -> Value:
    """`namedtuple("Point", "x y")`, `NamedTuple("Point", [("x", float), ("y", float)])`."""
    given = arguments.get(1, "field_names") or arguments.get(1, "fields")
    names = () if given is None else tuple(listed(machine, given.value))
    return Value(Kind.FUNCTION, payload=Record(names)) if names else NOTHING


def listed(machine: Run, value: Value) -> Iterable[str]:
    """The names of fields, by themselves or with their types; none if one is not known."""
    if isinstance(value.payload, str):
        return value.payload.replace(",", " ").split()
    items = [sequence(machine, each) or [each] for each in sequence(machine, value) or ()]
    names = [each[0].payload for each in items]
    return [name for name in names if isinstance(name, str)] if all(names) else []


def made(machine: Run, node: ir.Call, record: Record, arguments: Arguments) -> Value:
    """A named tuple: what it holds has a name and a place."""
    held = by_name(record.fields, arguments)
    instance = Instance(record, attributes=held, items=in_places(record.fields, held))
    return machine.make(node, instance, Kind.CONTAINER)


def namespace(machine: Run, node: ir.Call, arguments: Arguments) -> Value:
    """`SimpleNamespace(a=1)`: an object with these attributes."""
    held = {name: each.value for name, each in arguments.keywords.items()}
    return machine.make(node, Instance(attributes=held), Kind.OBJECT)


def by_name(
    fields: Sequence[str], arguments: Arguments, others: Sequence[str] = ()
) -> dict[str, Value]:
    """What an object is given for its fields, and for other attributes by their names; of the other
    fields anything, if there may be more."""
    given = [*zip(fields, arguments.positional, strict=False), *arguments.keywords.items()]
    attributes = dict.fromkeys(fields, NOTHING) if arguments.is_open else {}
    known = {*fields, *others}
    return attributes | {name: argument.value for name, argument in given if name in known}


def in_places(fields: Sequence[str], held: Mapping[str, Value]) -> Mapping[ItemKey, Value]:
    return numbered(held.get(name, NOTHING) for name in fields)


def field(machine: Run, node: ir.Call, arguments: Arguments) -> Value:
    """`field(default=..)` of a dataclass is what it has by default."""
    factory = arguments.keywords.get("default_factory")
    if factory is not None:
        return Value(payload=Anew(node, factory.value))
    default = arguments.keywords.get("default")
    return NOTHING if default is None else default.value


def own(machine: Run, owner: ClassInfo, node: ir.Node) -> dict[str, Value]:
    """What an object of a class, made at a node, has of its own by default."""
    held = [item for each in [*owner.line][::-1] for item in each.attributes.items()]
    return {n: anew(machine, v.payload, node) for n, v in held if isinstance(v.payload, Anew)}


#: By their names.
FUNCTIONS = {
    "collections.namedtuple": named_tuple,
    "types.SimpleNamespace": namespace,
    "typing.NamedTuple": named_tuple,
    "dataclasses.field": field,
}
