"""Which plain attributes of a module a fix may register as buffers."""

from __future__ import annotations

from collections.abc import Iterator

from devlint.api import (
    ClassInfo,
    Fix,
    PlainAttribute,
    Safety,
    class_summary,
    ir,
    is_self,
    registered_buffer,
    walk,
)


def registration(owner: ClassInfo, attribute: PlainAttribute) -> Fix | None:
    """Register an attribute, out of the state dict, as it is now."""
    safety = safety_of(owner, attribute) if attribute.is_tensor else None
    if safety is None:
        return None
    message = f'register it: `register_buffer("{attribute.name}", .., persistent=False)`'
    risk = "" if safety == "safe" else "the argument may not be a tensor"
    return Fix(message, (registered_buffer(attribute.assignment),), safety, risk)


def safety_of(owner: ClassInfo, attribute: PlainAttribute) -> Safety | None:
    """How safe it is to register an attribute where it is assigned; None where it cannot be.

    It has to be the only assignment, with nothing else of the name in the class (`register_buffer`
    refuses a name that is there) and the module initialised by then. What an argument gives may
    be no tensor.
    """
    name, site = attribute.name, attribute.assignment
    if any(name in each.attributes or name in each.methods for each in owner.line):
        return None
    stores = [store for each in owner.line for store in stored(each.node, name)]
    function = class_summary.enclosing_method(owner, site)
    if (
        stores != [site]
        or function is None
        or not class_summary.is_initialised_before(function, site)
    ):
        return None
    names = {parameter.name for parameter in function.params}
    given = (n.value for n in walk(function) if isinstance(n, ir.Assign) and site in n.targets)
    is_argument = any(isinstance(value, ir.Name) and value.id in names for value in given)
    return "unsafe" if is_argument else "safe"


def stored(node: ir.Node, name: str) -> Iterator[ir.Node]:
    """Where a name of `self` is assigned or deleted, however that is written."""
    for each in walk(node):
        match each:
            case ir.Assign(targets=targets) | ir.Delete(targets=targets):
                pass
            case ir.AugmentedAssign(target=target) | ir.For(target=target):
                targets = (target,)
            case _:
                continue
        for target in targets:
            for part in walk(target):
                if isinstance(part, ir.Attribute) and part.name == name and is_self(part.value):
                    yield part
