"""Which modules of a project come to PyTorch."""

from __future__ import annotations

from typing import NamedTuple, cast

from devlint.project.modules import Module
from devlint.project.order import imported_by
from devlint.project.project import Place, Project

TORCH = "torch"


class Found(NamedTuple):
    """Whether PyTorch was found, and in which modules it was looked for."""

    is_found: bool
    modules: frozenset[Module]


def comes_to_torch(place: Place, module: Module) -> bool:
    """Whether the text of a module, or of what it imports from its project, directly or not,
    mentions PyTorch. `place` is that of the program that asks."""
    kept, key = place.project.kept, (comes_to_torch, module)
    if key not in kept:
        kept[key] = looked_for(place.project, module)
    found = cast(Found, kept[key])
    place.asked.texts.update(each.path for each in found.modules)
    return found.is_found


def looked_for(project: Project, module: Module) -> Found:
    pending, seen = [module], set[Module]()
    while pending:
        each = pending.pop()
        if each in seen:
            continue
        seen.add(each)
        if TORCH in (project.text(each) or ""):
            return Found(True, frozenset(seen))
        pending += imported_by(project, each)
    return Found(False, frozenset(seen))
