"""Methods that a class inherits, and that call what it defines: of its objects they do something
else than of those of the base."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from devlint.interpret.core import module_state
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.scopes import ClassInfo, Function
from devlint.lower import ir
from devlint.values.value import Value

#: So many methods that call one are looked at: most do the same with what it gives.
TEMPLATES = 2


def inherited(owner: ClassInfo) -> list[Function]:
    """The methods of the bases in view that a class leaves as they are."""
    names = dict.fromkeys(name for each in owner.line for name in each.methods)
    found = [owner.method(name) for name in names if name not in {*owner.methods, "__init__"}]
    return [each for each in found if each is not None]


def template_methods(owner: ClassInfo, hooks: Sequence[Function]) -> list[Function]:
    """Those that call one of the methods which the class defines; of each the first few."""
    others = inherited(owner) if hooks else []
    found = {
        each.name: each
        for hook in hooks
        for each in islice((o for o in others if calls(o, hook.name)), TEMPLATES)
    }
    return [*found.values()]


def may_be_hook(owner: ClassInfo, method: Function) -> bool:
    """Whether a base in view may call a method, be it one that the base lacks or overridden."""
    has_bases = any(each is not owner for each in owner.line)
    return has_bases and not method.name.startswith("__")


def gives_placed(machine: Run, value: Value) -> bool:
    """Whether a value is, or holds, something on a certain device, wherever its object is."""
    devices = (part.device for part in module_state.parts(machine, value, set()))
    return any(each.is_cpu or each.is_accelerator for each in devices)


def calls(function: Function, name: str) -> bool:
    """Whether a method calls another one of its object, by its words."""
    return isinstance(function.node, ir.Def) and name in function.node.words
