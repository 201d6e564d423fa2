"""Which programs load the checkpoints of others, and whether they say to where."""

from __future__ import annotations

import os
from collections.abc import Iterator

from devlint.facts.effect import Loads, Saves
from devlint.facts.signature import signature
from devlint.facts.table import FACTS
from devlint.lower import ir
from devlint.lower.walk import by_type, imports
from devlint.project.modules import Module
from devlint.project.project import Place
from devlint.queries.dotted_names import path

#: What saves to a file, or loads from one, rather than from an address.
FILES = {
    name: fact
    for name, fact in FACTS.items()
    if isinstance(fact, Saves)
    or (isinstance(fact, Loads) and signature(fact.signature).parameters[0].name != "url")
}


def are_read_by_others(place: Place) -> bool:
    """Whether another program near the one that saves, in its folder, in one below it or above,
    loads checkpoints without saying to where: one that saves some itself loads its own. Where none
    loads any, who does is not known."""
    near = [each for each in place.naming("load") or () if is_near(place.module, each)]
    sources = {each: place.project.source(each) for each in near}
    loading = {each: source for each, source in sources.items() if source and source.once(loads)}
    others = (source for each, source in loading.items() if each != place.module)
    return not loading or any(each.once(only_loads_as_saved) for each in others)


def is_near(one: Module, other: Module) -> bool:
    folders = one.folder, other.folder
    return os.path.commonpath(folders) in folders


def only_loads_as_saved(module: ir.Module) -> bool:
    """Whether a program loads checkpoints without saying to where, and saves none."""
    is_saving = any(isinstance(fact, Saves) for _, fact in file_calls(module))
    return not is_saving and bool(loads_as_saved(module))


def loads(module: ir.Module) -> bool:
    """Whether a program loads checkpoints."""
    return any(isinstance(fact, Loads) for _, fact in file_calls(module))


def loads_as_saved(module: ir.Module) -> list[ir.Call]:
    """The calls that load a checkpoint without saying to where."""
    loading = ((call, fact) for call, fact in file_calls(module) if isinstance(fact, Loads))
    return [call for call, fact in loading if not (is_placed(call, fact) or is_spread(call))]


def is_placed(call: ir.Call, fact: Loads) -> bool:
    named = [name for name, _ in call.keywords]
    return len(call.args) > position(fact) or "map_location" in named


def file_calls(module: ir.Module) -> Iterator[tuple[ir.Call, Loads | Saves]]:
    """What a program saves to files, and loads from them."""
    names = imported(module)
    for call in by_type(module)[ir.Call]:
        words = path(call.func)
        fact = FILES.get(".".join([names.get(words[0], ""), *words[1:]])) if words else None
        if fact is not None:
            yield call, fact


def imported(module: ir.Module) -> dict[str, str]:
    """What the names that a program imports stand for."""
    found: dict[str, str] = {}
    for each in imports(module):
        for name, alias in each.names:
            if isinstance(each, ir.ImportFrom):
                found[alias or name] = f"{each.module}.{name}"
            else:
                shown = alias or name.partition(".")[0]
                found[shown] = name if alias else shown
    return found


def is_spread(node: ir.Call) -> bool:
    """Whether a call has arguments that are not written out (`*x`, `**x`)."""
    return any(name is None for name, _ in node.keywords) or any(
        isinstance(each, ir.Starred) for each in node.args
    )


def position(fact: Loads) -> int:
    """How many arguments of a function may stand before its `map_location`."""
    names = [parameter.name for parameter in signature(fact.signature).parameters]
    return names.index("map_location")
