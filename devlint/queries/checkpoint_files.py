"""Files of checkpoints: which programs load those of others, and whether they say to where, and
which have been published."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from devlint.facts.effect import Loads, Saves
from devlint.facts.signature import signature
from devlint.facts.table import FACTS
from devlint.lower import ir
from devlint.lower.walk import by_type, imports, walk
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

#: What stands between the scheme of an address and the rest.
ADDRESS = "://"

Bindings = Mapping[str, Sequence[ir.Expression]]


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


def is_published(node: ir.Expression, bindings: Sequence[Bindings]) -> bool:
    """Whether there is an address in an expression, or in what a name in it was bound to. The first
    of the `bindings` that has the name decides."""
    pending, seen = [node], set[str]()
    while pending:
        for each in walk(pending.pop()):
            if is_address(each):
                return True
            if isinstance(each, ir.Name) and each.id not in seen:
                seen.add(each.id)
                pending += next((scope[each.id] for scope in bindings if each.id in scope), ())
    return False


def is_address(node: ir.Node) -> bool:
    if isinstance(node, ir.Text):
        return ADDRESS in node.start
    return isinstance(node, ir.Constant) and isinstance(node.value, str) and ADDRESS in node.value


def bound(scope: ir.Node) -> Bindings:
    """What the names of a function, or of the top of a module, are bound to."""
    found = defaultdict(list)
    parameters = scope.params if isinstance(scope, ir.Def) else ()
    for parameter in parameters:
        if parameter.default is not None:
            found[parameter.name].append(parameter.default)
    for target, value in (pair for each in below(scope) for pair in pairs(each)):
        if isinstance(target, ir.Name):
            found[target.id].append(value)
    return found


def below(scope: ir.Node) -> Iterator[ir.Node]:
    """All nodes of a function; those of a module outside its functions and classes."""
    if not isinstance(scope, ir.Module):
        return walk(scope)
    top = (each for each in scope.body if not isinstance(each, (ir.Def, ir.Class)))
    return (node for statement in top for node in walk(statement))


def pairs(node: ir.Node) -> Iterator[tuple[ir.Expression | None, ir.Expression]]:
    if isinstance(node, ir.Assign):
        yield from ((target, node.value) for target in node.targets)
    elif isinstance(node, ir.With):
        yield from ((target, context) for context, target in node.items)
