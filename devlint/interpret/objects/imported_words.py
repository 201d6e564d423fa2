"""What imports say of the functions of a module: whether what these call concerns devices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.library_model import Libraries
from devlint.interpret.core.relevance import NOTHING_BROUGHT, Brought, Seeds
from devlint.interpret.core.views import ModuleFrame, View
from devlint.lower import ir
from devlint.lower.walk import by_type, imports
from devlint.project.modules import Module
from devlint.project.project import UNUSED, Place, Source
from devlint.queries.dotted_names import last_word


def view_of(module: ir.Module, libraries: Libraries[Run], place: Place | None) -> View:
    """A module that is looked at, with its text lowered anywhere."""
    seeds = Seeds(module, libraries, brought(imports(module), libraries, place))
    return View(module, ModuleFrame(), seeds, place)


def seeds_of(source: Source, libraries: Libraries[Run], home: Place) -> Seeds:
    """What has to do with devices in a module of the project, by what it imports as well."""
    tree = source.lowered.module
    return Seeds(tree, libraries, brought(imports(tree), libraries, place_of(source, home)))


def exported(module: Module, libraries: Libraries[Run], home: Place) -> Brought:
    """What the names of a module of the project say, read once a run: by what it imports as well
    only if it is a package, which hands that on, or if classes derive from that. To follow all
    imports costs ten times as much as looking at one file."""
    home.asked.texts.add(module.path)
    key = (libraries, module)
    known = home.project.kept.get(key)
    if isinstance(known, Brought):
        return known
    # That is what those that it imports, and that import it, know of it.
    home.project.kept[key] = NOTHING_BROUGHT
    source = home.project.source(module)
    if source is None:
        return NOTHING_BROUGHT
    tree = source.lowered.module
    asked = imports(tree) if module.is_package else imports_of_bases(tree)
    handed_on = brought(asked, libraries, place_of(source, home))
    found = home.project.kept[key] = Seeds(tree, libraries, handed_on).exported
    return found


def imports_of_bases(module: ir.Module) -> Iterator[ir.ImportFrom]:
    """Of the imports of a module, what its classes derive from."""
    classes = by_type(module)[ir.Class]
    bases = {last_word(base) for each in classes for base in each.bases}
    for node in imports(module):
        if isinstance(node, ir.ImportFrom):
            names = tuple(pair for pair in node.names if (pair[1] or pair[0]) in bases)
            if names:
                yield replace(node, names=names)


def brought(
    asked: Iterable[ir.Import | ir.ImportFrom], libraries: Libraries[Run], place: Place | None
) -> Brought:
    """What imports bring in from the project."""
    if place is None:
        return NOTHING_BROUGHT
    return Brought.of(part for node in asked for part in parts_of(node, libraries, place))


def parts_of(
    node: ir.Import | ir.ImportFrom, libraries: Libraries[Run], place: Place
) -> Iterator[Brought]:
    """What one import brings in: what is named, and submodules with all that they have."""
    if isinstance(node, ir.Import):
        for dotted, _ in node.names:
            if (found := place.find(dotted)) is not None:
                yield exported(found, libraries, place)
        return
    found = place.find(node.module)
    if found is None:
        return
    every = exported(found, libraries, place)
    for name, alias in node.names:
        yield every if name == "*" else every.under(name, alias or name)
        if (inner := place.project.modules.submodule(found, name)) is not None:
            yield exported(inner, libraries, place)


def place_of(source: Source, home: Place) -> Place:
    return replace(home, module=source.module, text=source.text, uses=UNUSED)
