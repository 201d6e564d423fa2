"""Other names of a value: what a program reads by one of them, it has by the others, too."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from devlint.api import ANY, Child, ItemKey, Run, Value, ir, source_text, walk

#: As many places of a body are compared with each subject.
MANY = 1_000


def names_of(run: Run, subject: ir.Expression, owner: ir.Def | ir.Module) -> list[ir.Expression]:
    """The subject, and what else in the body of its owner refers to the same value here."""
    value = referred(run, subject)
    others = run.once(places, owner)[:MANY] if value is not None else ()
    own = source_text(subject)
    return [subject, *(each for each in others if is_other(run, each, value, own))]


def is_other(run: Run, place: ir.Expression, value: Value | None, own: str) -> bool:
    return is_same(referred(run, place), value) and source_text(place) != own


def places(owner: ir.Def | ir.Module) -> tuple[ir.Expression, ...]:
    """The names, attributes and items that a body mentions, each once."""
    found: dict[str, ir.Expression] = {}
    for statement in owner.body:
        for node in walk(statement):
            if isinstance(node, (ir.Name, ir.Attribute, ir.Subscript)) and is_place(node):
                found.setdefault(source_text(node), node)
    return tuple(found.values())


def is_place(node: ir.Expression) -> bool:
    while isinstance(node, (ir.Attribute, ir.Subscript)):
        if isinstance(node, ir.Subscript) and not isinstance(node.index, ir.Constant):
            return False
        node = node.value
    return isinstance(node, ir.Name)


def referred(run: Run, place: ir.Expression) -> Value | None:
    """What a place refers to; asking is no step of the program."""
    if isinstance(place, ir.Name):
        return run.lookup(place.id)
    if not isinstance(place, (ir.Attribute, ir.Subscript)) or not is_place(place):
        return None
    whole = referred(run, place.value)
    if whole is None or whole.ref is None:
        return None
    key = place.name if isinstance(place, ir.Attribute) else index_key(place)
    return run.instance(whole.ref).held(key) or Value(ref=Child(whole.ref, key))


def index_key(place: ir.Subscript) -> ItemKey:
    assert isinstance(place.index, ir.Constant)
    return ItemKey(place.index.value)


def is_same(one: Value | None, other: Value | None) -> bool:
    """Whether two values are one object, and no two of which as little is known."""
    if one is None or other is None or one == Value():
        return False
    return one is other or (one.ref is not None and one.ref == other.ref and is_single(one.ref))


def is_single(ref: Hashable) -> bool:
    """Whether a key is that of one object, not of any item of a container."""
    return ANY not in keys(ref)


def keys(ref: Hashable) -> Iterator[Hashable]:
    """Under what an object is held, and what holds it, and so on."""
    while isinstance(ref, Child):
        yield ref.key
        ref = ref.parent
