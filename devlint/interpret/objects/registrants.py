"""Modules of a project that put what they define into an object of another one, by decorators.

A registry is empty by its own text: what is in it is known once those have been interpreted that
are imported for nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.scopes import Function
from devlint.interpret.core.views import Symbol, View
from devlint.interpret.objects.linked_modules import linked
from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.project.imports import decorates
from devlint.project.modules import Module
from devlint.project.project import Place, Project
from devlint.values.value import Kind, Value

#: A registry of more modules is left empty: each of them would be interpreted for all that use it.
MANY = 12


def fill(machine: Run, symbol: Symbol, value: Value, view: View) -> None:
    """Interpret the modules that register something in an object which a module is about to use,
    itself or by a function of where that is."""
    if symbol.name not in machine.once(used_names, machine.view.module):
        return
    function = value.payload
    names = [symbol.name]
    if isinstance(function, Function) and isinstance(function.node, ir.Def):
        names = sorted(function.node.words & view.frame.names)
    for name in names:
        held = machine.here().get((view.frame, name))
        asked = Symbol(f"{symbol.module.path}.{name}", symbol.module, name)
        is_registry = isinstance(held, Value) and held.kind in (Kind.OBJECT, Kind.CONTAINER)
        if is_registry and fill_one(machine, asked):
            view.seeds.registries.add(name)


def fill_one(machine: Run, symbol: Symbol) -> bool:
    """Whether somebody registers something in an object, which has been interpreted then."""
    place, key = machine.home.place, (fill, symbol.module, symbol.name)
    answers = machine.home.answers
    if place is None or key in answers:
        return place is not None and bool(answers[key])
    found = registrants(place, symbol)
    answers[key] = bool(found)
    for each in found:
        if each not in machine.links and each != place.module:
            linked(machine, each)
    return bool(found)


def used_names(module: ir.Module) -> frozenset[str]:
    """The names that a program uses for something else than to decorate what it defines."""
    decorators = {
        node
        for each in walk(module)
        if isinstance(each, (ir.Def, ir.Class))
        for decorator in each.decorators
        for node in walk(decorator)
    }
    names = (each for each in walk(module) if isinstance(each, ir.Name))
    return frozenset(each.id for each in names if each not in decorators)


def registrants(place: Place, symbol: Symbol) -> Sequence[Module]:
    """The modules that decorate with something of another one, or with a function there that speaks
    of it; none if there are many."""
    project, key = place.project, (registrants, symbol.module, symbol.name)
    if not place.is_whole:
        return ()
    named = {word: place.naming(word) or () for word in (symbol.name, *speakers(project, symbol))}
    place.asked.texts.update(each.path for modules in named.values() for each in modules)
    if key not in project.kept:
        pairs = ((each, word) for word, modules in named.items() for each in modules)
        others = ((each, word) for each, word in pairs if each != symbol.module)
        found = {each: None for each, word in others if is_one(place, each, symbol, word)}
        project.kept[key] = tuple(found) if len(found) <= MANY else ()
    return cast(Sequence[Module], project.kept[key])


def speakers(project: Project, symbol: Symbol) -> tuple[str, ...]:
    """The names of the functions in a module that speak of what it calls by a name."""
    source = project.source(symbol.module)
    body = source.lowered.module.body if source is not None else ()
    found = (each for each in body if isinstance(each, ir.Def))
    return tuple(each.name for each in found if symbol.name in each.words)


def is_one(place: Place, module: Module, symbol: Symbol, word: str) -> bool:
    occurrences = place.project.occurrences
    if not decorates(place.project.text(module) or "", word) or occurrences is None:
        return False
    return symbol.module in occurrences.imported([module])
