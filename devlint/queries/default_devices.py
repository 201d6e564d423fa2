"""Whether a program runs where another one has set the default device."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import PurePath
from typing import cast

from devlint.project.modules import Module
from devlint.project.occurrences import Occurrences
from devlint.project.project import SETTERS, Place, Project
from devlint.queries.name_conventions import names_test_file
from devlint.queries.test_code import is_of_tests


def is_default_set(place: Place) -> bool:
    """Whether something that comes to a program, and is looked at, also comes to what sets the
    default device, tests aside. What the program sets itself is seen when it does."""
    named = [place.naming(word) or () for word in SETTERS]
    setters = {module for modules in named for module in modules}
    occurrences = place.project.occurrences
    if occurrences is None or not setters or place.module in setters:
        return False
    kept, key = place.project.kept, (is_default_set, frozenset(setters))
    if key not in kept:
        kept[key] = programs(place.project, occurrences, setters)
    importers, imported = cast("tuple[set[Module], set[Module]]", kept[key])
    place.asked.texts.update(each.path for each in importers | imported)
    return place.module in imported


def programs(
    project: Project, occurrences: Occurrences, modules: Collection[Module]
) -> tuple[set[Module], set[Module]]:
    """What comes to one of some modules, and what that imports, directly or not."""
    importers = occurrences.importers(modules)
    outer = [each for each in importers if not is_test(project, each)]
    return importers, occurrences.imported(outer)


def is_test(project: Project, module: Module) -> bool:
    """A script may have a case of its own; it is run as what it is called."""
    source = project.source(module)
    is_tests = source is not None and is_of_tests(source)
    return is_tests and names_test_file(PurePath(module.path).name)
