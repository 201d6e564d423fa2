"""What is assigned to objects; to a module that was moved, perhaps what is left behind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from devlint.event import Use
from devlint.interpret.core import class_summary, module_state
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.object_ids import Child
from devlint.interpret.core.scopes import ClassInfo
from devlint.lower import ir
from devlint.queries.moves_at_use import moved_at_use
from devlint.queries.name_conventions import written
from devlint.rule.changes import root
from devlint.values.alternatives import possible_objects
from devlint.values.instance import ANY, Attach, Instance, Key
from devlint.values.value import PARAMETER, Value

#: By these a module goes through what it holds, or takes it by names that are put together.
WALKS = frozenset(
    "children modules named_children named_modules parameters named_parameters buffers "
    "named_buffers state_dict _modules _parameters __dict__ getattr get_submodule "
    "get_parameter vars apply".split()
)


def attach(
    machine: Run,
    whole: Value,
    key: Key,
    value: Value,
    site: ir.Node,
    name: str,
    source: ir.Expression | None,
) -> None:
    """Assign an attribute or an item of an object."""
    if whole.ref is None:
        return
    instance = machine.instance(whole.ref).holding(key, value)
    if instance.move is None and not instance.attaches:
        machine.store(whole.ref, instance)
        return
    kept = tuple(a for a in instance.attaches if a.key != key)
    if (
        instance.move is not None
        and instance.device.may_accelerate
        and module_state.holds_cpu_state(machine, value)
        and not is_moved_at_use(machine, instance, key)
    ):
        attached = attachment(machine, site, key, name, value, instance)
        if attached.assignment is None and machine.is_repeatable(instance.move, instance.device):
            attached = replace(attached, movable=movable(machine, value, source))
        kept += (attached,)
        if machine.has_instance(value.ref):
            part = machine.instance(value.ref)
            machine.store(value.ref, replace(part, attaches=(*part.attaches, attached)))
    machine.store(whole.ref, replace(instance, attaches=kept))


def is_moved_at_use(machine: Run, whole: Instance, key: Key) -> bool:
    """Whether all methods that use an attribute move it first."""
    owner = whole.type
    if not isinstance(owner, ClassInfo):
        return False
    using = [each for each in owner.definitions if key in each.words]
    moving = [each for each in using if key in machine.once(moved_at_use, each, owner)]
    return bool(moving) and all(each in moving or key in each.stores for each in using)


def attachment(
    machine: Run, site: ir.Node, key: Key, name: str, value: Value, whole: Instance
) -> Attach:
    """The author would edit where the move can be seen: the assignment, or the call it is in."""
    assert whole.move is not None
    here, there = machine.frame.path, whole.move.path or ()
    if len(here) > len(there) and here[: len(there)] == there:
        call = here[len(there)]
        given = handed(machine, site, call) if len(here) == len(there) + 1 else None
        return Attach(call, key, name, value, whole.device, whole.move, site, movable=given)
    return Attach(site, key, name, value, whole.device, whole.move)


def movable(machine: Run, value: Value, source: ir.Expression | None) -> ir.Expression | None:
    """What is to be moved for a value to be moved: of a parameter, the tensor it is made of."""
    if module_state.is_module(machine, value):
        return source
    if value.payload != PARAMETER or not isinstance(source, ir.Call) or not source.args:
        return None
    is_wrapped = written(source.func).rpartition(".")[2] == "Parameter"
    return source.args[0] if is_wrapped and not isinstance(source.args[0], ir.Starred) else None


def handed(machine: Run, site: ir.Node, call: ir.Node) -> ir.Expression | None:
    """What the caller of the function that runs writes for the argument, or the receiver, that a
    place in it is about: of `net.a.b = x` that for `net`; of `net.append(x)` and `setattr(net, "a",
    x)` too."""
    if isinstance(site, ir.Call) and isinstance(site.func, ir.Name) and site.args:
        site = site.args[0]
    name = root(site)
    function = machine.function
    if name is None or not isinstance(call, ir.Call) or not isinstance(function, ir.Def):
        return None
    names = [each.name for each in function.params if each.kind in ("plain", "positional")]
    is_method = machine.frame.owner is not None
    if is_method and names[:1] == [name]:
        return call.func.value if isinstance(call.func, ir.Attribute) else None
    if is_method:
        names = names[1:]
    given = dict(zip(names, call.args, strict=False)) | {n: v for n, v in call.keywords if n}
    return given.get(name)


def use(machine: Run, value: Value, node: ir.Node) -> bool:
    """A module computes, and with it what was attached to it since its move and may be read, if
    anything was."""
    if (ref := value.ref) is None:
        return False
    whole = value
    if isinstance(ref, Child) and ref.key == ANY:
        whole = replace(value, ref=ref.parent)
    found = module_state.unmoved(machine, whole)
    unread = unread_among(machine, whole, found) if found else ()
    attaches = tuple(each for each in found if each not in unread)
    if attaches:
        machine.emit(Use(node, attaches))
    return bool(attaches)


def unread_among(machine: Run, whole: Value, attaches: Sequence[Attach]) -> list[Attach]:
    """What is an attribute, of an object whose class is in view, that no method in the module
    names, nor may go through without naming it."""
    held = [machine.instance(part.ref) for part in module_state.parts(machine, whole, set())]
    owners = [each.type for each in held if isinstance(each.type, ClassInfo)]
    words = frozenset[str]().union(*map(class_summary.readers, owners))
    if not all(map(class_summary.is_all_in_view, owners)) or not words.isdisjoint(WALKS):
        return []
    found = {a for each in held if isinstance(each.type, ClassInfo) for a in each.attaches}
    return [a for a in attaches if a in found and isinstance(a.key, str) and a.key not in words]


def use_by(machine: Run, value: Value, words: frozenset[str], node: ir.Node) -> None:
    """A module's own methods use the attributes that they name."""
    attaches = tuple(a for a in module_state.unmoved(machine, value) if a.name in words)
    if attaches:
        machine.emit(Use(node, attaches))


def holds_itself(machine: Run, module: Value) -> bool:
    """Whether a container is a part of its own, as one is that each round of a loop puts into the
    next."""
    own = possible_objects(module.ref)
    items = machine.instance(module.ref).items.values()
    return any(ref in own for each in items for ref in possible_objects(each.ref))
