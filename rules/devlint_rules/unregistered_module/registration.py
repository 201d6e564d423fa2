"""How a fix registers the modules of a plain container."""

from __future__ import annotations

from collections.abc import Sequence

from devlint.api import (
    ClassInfo,
    Fix,
    Kind,
    Value,
    class_summary,
    ir,
    value_wrapped,
    walk,
    written,
)


def registration(
    owner: ClassInfo, site: ir.Node, maker: object, items: Sequence[Value]
) -> Fix | None:
    """`maker` is the node that has made the container."""
    container, module = kind_of(maker), spelled_module(owner)
    is_nested = any(item.kind is Kind.CONTAINER for item in items)
    if is_nested or container is None or module is None or not is_assigned_later(owner, site):
        return None
    registering = f"{module}.{container}"
    change = value_wrapped(site, registering)
    message = f"register them: `{registering}(..)`"
    return Fix(message, (change,), "unsafe", "the state dict gets new keys")


def kind_of(maker: object) -> str | None:
    """What registers the items of a container, by how that was made."""
    match maker:
        case ir.Display(kind=kind) if kind != "set":
            return "ModuleList"
        case ir.Comprehension(kind="list") | ir.Parameter(kind="*"):
            return "ModuleList"
        case ir.Mapping(keys=keys) if all(map(is_text, keys)):
            return "ModuleDict"
    return None


def is_text(key: ir.Expression | None) -> bool:
    return isinstance(key, ir.Constant) and isinstance(key.value, str)


def spelled_module(owner: ClassInfo) -> str | None:
    """How the program writes what `nn.Module` is a part of."""
    bases = [base for each in owner.line for base in each.node.bases]
    whole = (b.value for b in bases if isinstance(b, ir.Attribute) and b.name == "Module")
    return next(map(written, whole), None)


def is_assigned_later(owner: ClassInfo, site: ir.Node) -> bool:
    """Whether a statement assigns just that, once the module is initialised."""
    function = class_summary.enclosing_method(owner, site)
    if function is None or not class_summary.is_initialised_before(function, site):
        return False
    return any(isinstance(node, ir.Assign) and site in node.targets for node in walk(function))
