"""In which order the modules of a project are looked at: those that use others come before them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from devlint.project.imports import used_by
from devlint.project.modules import Module
from devlint.project.project import Place, Project


def users_first(used: Mapping[Module, Sequence[Module]]) -> list[Module]:
    """The modules so that each comes before those that it uses, but where they use each other in a
    circle."""
    return finished(used)[::-1]


def uses(project: Project, modules: Iterable[Module]) -> dict[Module, list[Module]]:
    """What each module imports from its project, by its text."""
    return {each: imported_by(project, each) for each in modules}


def imported_by(project: Project, module: Module) -> list[Module]:
    return list(dict.fromkeys(used_by(place_of(project, module))))


def place_of(project: Project, module: Module) -> Place:
    return Place(project, module, project.text(module) or "")


def finished(used: Mapping[Module, Sequence[Module]]) -> list[Module]:
    """The modules in the order in which a walk along what they use comes to their ends."""
    found: dict[Module, None] = {}
    begun: set[Module] = set()
    for first in sorted(used, key=lambda each: each.path, reverse=True):
        pending = [(first, iter(used[first]))] if first not in begun else []
        begun.add(first)
        while pending:
            module, others = pending[-1]
            inner = next((each for each in others if each in used and each not in begun), None)
            if inner is None:
                found[module] = None
                pending.pop()
            else:
                begun.add(inner)
                pending.append((inner, iter(used[inner])))
    return list(found)
