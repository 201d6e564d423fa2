"""Methods that a class inherits, and that call what it overrides: of its objects they do something
else than of those of the base."""

from __future__ import annotations

from devlint.interpret.calls.relevant_calls import is_seeded
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.scopes import ClassInfo, Function
from devlint.interpret.language.entry_order import is_maker
from devlint.lower import ir


def inherited(owner: ClassInfo) -> list[Function]:
    """The methods of the bases in view that a class leaves as they are."""
    names = dict.fromkeys(name for each in owner.line for name in each.methods)
    found = [owner.method(name) for name in names if name not in {*owner.methods, "__init__"}]
    return [each for each in found if each is not None]


def template_methods(machine: Run, owner: ClassInfo) -> list[Function]:
    """Those that lead to a method which the class overrides with one that has to do with devices;
    of those that lead to each other the outermost."""
    names = {name for name, each in owner.methods.items() if is_hook(machine, owner, each)}
    found: dict[str, Function] = {}
    pending = inherited(owner) if names else []
    while leading := [each for each in pending if not names.isdisjoint(words_of(each))]:
        found |= {each.name: each for each in leading}
        names |= {each.name for each in leading}
        pending = [each for each in pending if each.name not in found]
    called = {name for each in found.values() for name in words_of(each) - {each.name}}
    return [each for each in found.values() if each.name not in called]


def is_hook(machine: Run, owner: ClassInfo, method: Function) -> bool:
    """Whether a method overrides that of a base in view, and makes, moves or places something."""
    if method.name == "__init__" or not isinstance(method.node, ir.Def):
        return False
    is_overriding = any(method.name in each.methods for each in owner.line if each is not owner)
    return is_overriding and (is_maker(method.node) or is_seeded(machine, method))


def words_of(function: Function) -> frozenset[str]:
    return frozenset(function.node.words) if isinstance(function.node, ir.Def) else frozenset()
