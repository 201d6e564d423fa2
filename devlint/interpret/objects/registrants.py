"""Modules of a project that put what they define into an object of another one, by decorators.

A registry is empty by its own text: what is in it is known once those have been interpreted that
are imported for nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.views import Symbol
from devlint.interpret.objects.linked_modules import linked
from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.project.imports import decorates
from devlint.project.modules import Module
from devlint.project.project import Place
from devlint.values.value import Kind, Value

#: A registry of more modules is left empty: each of them would be interpreted for all that use it.
MANY = 12


def fill(machine: Run, symbol: Symbol, value: Value) -> None:
    """Interpret the modules that register something in an object which a module is about to use."""
    place, key = machine.home.place, (fill, symbol.module, symbol.name)
    if place is None or value.kind not in (Kind.OBJECT, Kind.CONTAINER):
        return
    answers = machine.home.answers
    if key in answers or symbol.name not in machine.once(used_names, machine.view.module):
        return
    answers[key] = True
    for each in registrants(place, symbol):
        if each not in machine.links and each != place.module:
            linked(machine, each)


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
    """The modules that decorate with something of another one; none if there are many."""
    project, key = place.project, (registrants, symbol.module, symbol.name)
    named = place.naming(symbol.name)
    if named is None:
        return ()
    place.asked.texts.update(each.path for each in named)
    if key not in project.kept:
        found = [each for each in named if each != symbol.module and is_one(place, each, symbol)]
        project.kept[key] = found if len(found) <= MANY else ()
    return cast(Sequence[Module], project.kept[key])


def is_one(place: Place, module: Module, symbol: Symbol) -> bool:
    occurrences = place.project.occurrences
    if not decorates(place.project.text(module) or "", symbol.name) or occurrences is None:
        return False
    return symbol.module in occurrences.imported([module])
