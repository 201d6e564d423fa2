"""Containers of modules: which ones hide what they hold, and how that is known wherever it goes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from devlint.api import (
    PARAMETER,
    Child,
    ClassInfo,
    Factory,
    Instance,
    ItemKey,
    Kind,
    Made,
    Run,
    Traced,
    Value,
    effect,
    fact,
    ir,
    items_of,
    last_name,
    maker,
    module_state,
    possible_objects,
    walk,
)

STATE = frozenset({"Parameter", "register_buffer", "register_parameter"})
#: What a list of modules may hold, and itself be in.
HOLDING = frozenset({Kind.MODULE, Kind.CONTAINER, Kind.UNKNOWN})


@dataclass(frozen=True, slots=True)
class Held(Traced):
    """Of a container that hides modules of an `owner`, since `site`, and of what it holds."""

    owner: ClassInfo
    site: ir.Node


def kept(run: Run, value: Value, held: Held) -> Value:
    """A container and what it holds, as `held`."""
    if not (value.kind in HOLDING or is_loose(value)) or value.tag(Held) == held:
        return value
    marked = value.tagged(held)
    if value.kind is Kind.CONTAINER and run.has_instance(value.ref):
        inner = run.instance(value.ref)
        run.store(value.ref, inner.with_each(lambda item: kept(run, item, held)))
    return marked


def opened(run: Run, module: Value, name: str) -> Value:
    """What an attribute holds; the `*layers` of a caller out of view as a tuple."""
    value = run.instance(module.ref).attributes[name]
    if value.kind is Kind.CONTAINER or not is_variadic(value):
        return value
    key, any_item = Child(module.ref, name), ItemKey(None)
    item = replace(value, kind=Kind.UNKNOWN, ref=Child(key, any_item))
    run.store(key, Instance(items={any_item: item}))
    return Value(Kind.CONTAINER, ref=key, origin=value.origin)


def hides_modules(run: Run, module: Value, value: Value) -> bool:
    """Whether it is a container of modules that have state, are on no device yet, and are no
    submodules."""
    if value.kind is not Kind.CONTAINER:
        return is_declared(value)
    if is_borrowed(run, value):
        return False
    modules = [part for part in module_state.parts(run, value, set()) if part.kind is Kind.MODULE]
    held = [part for each in (module, run.frame.receiver) for part in submodules(run, each)]
    held += module_state.registered(run, module)
    registered = {ref for part in held for ref in possible_objects(part.ref)} - {None}
    free = [part for part in modules if not registered.issuperset(possible_objects(part.ref))]
    is_moved = any(run.instance(part.ref).move is not None for part in modules)
    return not is_moved and any(holds_state(run, part) for part in free)


def hides_parameters(run: Run, module: Value, value: Value) -> bool:
    """Whether it is a container of parameters alone that were made for it."""
    items = items_of(run, value) if value.kind is Kind.CONTAINER else []
    if not items or not all(map(is_loose, items)) or is_borrowed(run, value):
        return False
    held = module_state.registered(run, module)
    own = {each.origin for each in held if each.payload == PARAMETER}
    return not any(each.origin in own for each in items)


def is_loose(value: Value) -> bool:
    """Whether it is a parameter that no module has taken yet."""
    return value.payload == PARAMETER and isinstance(value.source, Factory)


def is_bare(run: Run, value: Value) -> bool:
    """Whether it is None, or a list of nothing else, which something takes the place of."""
    is_list = value.kind is Kind.CONTAINER and value.ref is not None
    return value.is_none or (is_list and all(each.is_none for each in items_of(run, value)))


def fills(method: ir.Def, name: str) -> bool:
    """Whether a method assigns an attribute anything but None and lists of that."""
    if name not in method.stores:
        return False
    assigned = (node for node in walk(method) if isinstance(node, ir.Assign))
    values = [each.value for each in assigned if name in map(last_name, each.targets)]
    return not values or not all(map(is_written_bare, values))


def is_written_bare(node: ir.Expression) -> bool:
    match node:
        case ir.Constant(value=None):
            return True
        case ir.Display(items=items):
            return all(map(is_written_bare, items))
        case ir.Mapping(keys=()):
            return True
        case ir.Comprehension(element=element):
            return is_written_bare(element)
    return False


def is_borrowed(run: Run, value: Value) -> bool:
    """Whether the caller has made it who makes the object: that may register what is in it. What
    is given as `*layers` is the object's own."""
    path = value.ref.path if isinstance(value.ref, Made) else ()
    is_made = isinstance(value.ref, (Made, ir.Node))
    return is_made and len(path) <= len(run.frame.path) and not is_variadic(value)


def submodules(run: Run, module: Value | None) -> Iterator[Value]:
    for _, item in run.instance(module.ref).contents if module is not None else ():
        if item.kind is Kind.MODULE:
            yield from module_state.parts(run, item, set())


def holds_state(run: Run, value: Value) -> bool:
    """Whether a module has parameters or buffers, whichever of several it is; of a class in view,
    whether its text has any."""
    return all(state_in(run, replace(value, ref=ref)) for ref in possible_objects(value.ref))


def state_in(run: Run, value: Value) -> bool:
    instance = run.instance(value.ref)
    if isinstance(instance.type, ClassInfo):
        return any(makes_state(word) for each in instance.type.line for word in each.node.words)
    return instance.holds_state is True or any(
        item.payload == PARAMETER
        or (item.kind is Kind.MODULE and item.ref != value.ref and holds_state(run, item))
        for _, item in instance.contents
    )


def makes_state(word: str) -> bool:
    layer = fact(f"torch.nn.{word}")
    return word in STATE or (isinstance(layer, effect.Layer) and layer.holds_state)


def is_variadic(value: Value) -> bool:
    """Whether it is what a function is given as `*layers`."""
    match maker(value.ref):
        case ir.Parameter(kind="*"):
            return True
    return False


def is_declared(value: Value) -> bool:
    """Whether it is that of a caller out of view, `*layers: nn.Module`."""
    match value.ref:
        case ir.Parameter(kind="*", annotation=annotation):
            return last_name(annotation) == "Module"
    return False


def is_single(run: Run, value: Value) -> bool:
    """Whether it was written out with a single item, and has no other: that hides it on purpose."""
    made_by = maker(value.ref)
    is_written = isinstance(made_by, ir.Display) and len(made_by.items) == 1
    return is_written and len(items_of(run, value)) == 1
