"""Modules of a project, interpreted for those that use something of them.

What is left of one is taken over by the runs that follow, unless it holds what is defined in the
module that is looked at: that has a copy in each run, which dies with it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from devlint.flow.state import State
from devlint.interpret.core.heap import DEFAULT, Lattice
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.views import ModuleFrame, View
from devlint.interpret.objects.imported_words import place_of, seeds_of
from devlint.lower import ir
from devlint.project.modules import Module
from devlint.project.project import Place, Source
from devlint.values.value import NOTHING, Kind, Value


@dataclass(frozen=True, slots=True, eq=False)
class Linked:
    """A module that has been interpreted: what it has written, the objects that it has made, the
    modules of the project that it has used, and the default device that it has set, if any."""

    view: View
    default: Lattice | None
    cells: dict[Hashable, Lattice]
    objects: frozenset[Hashable]
    splits: frozenset[Hashable]
    used: tuple[Module, ...]


def linked(machine: Run, module: Module, *, is_at_import: bool = False) -> View | None:
    """A module of the project as its end leaves it, interpreted the first time that anybody asks
    for it; while that goes on, as far as it has come."""
    machine.home.used[module] = None
    home = machine.home.place
    if home is not None:
        home.asked.links.add(module.path)
    if module not in machine.links:
        before, known = machine.here().get(DEFAULT), known_as(machine, module)
        if known is not None and not is_circular(machine, known):
            take_over(machine, module, known)
        else:
            link_anew(machine, module)
        if not is_at_import and machine.here().get(DEFAULT) != before:
            # It has been in force since the import, and nobody knew.
            machine.here().put(DEFAULT, Value(Kind.DEVICE))
    return machine.links[module]


def known_as(machine: Run, module: Module) -> Linked | None:
    """A module as a run has left it for others."""
    source = source_of(machine, module)
    known = source.kept.get(start_key(machine)) if source is not None else None
    return known if isinstance(known, Linked) else None


def source_of(machine: Run, module: Module) -> Source | None:
    home = machine.home.place
    return home.project.source(module) if home is not None else None


def start_key(machine: Run) -> Hashable:
    """What modules are interpreted by."""
    return machine.libraries, ground(machine).get(DEFAULT)


def is_circular(machine: Run, known: Linked) -> bool:
    """Whether a module uses the one that is looked at, itself or by others: what another run has
    left of it holds another copy of what is defined there."""
    pending, seen = [known], set[Module]()
    while pending:
        used = [each for each in pending.pop().used if each not in seen]
        if not machine.circular.isdisjoint(used):
            return True
        seen.update(used)
        found = (known_as(machine, each) for each in used if each not in machine.links)
        pending += [each for each in found if each is not None]
    return False


def link_anew(machine: Run, module: Module) -> None:
    """Interpret a module, and leave it and those that it uses for others, unless they use the one
    that is looked at: that lives no longer than its run."""
    first, source, home = len(machine.links), source_of(machine, module), machine.home.place
    machine.links[module] = None
    machine.circular.add(module)
    if home is not None and source is not None:
        key = start_key(machine)
        source.kept[key] = link(machine, home, source, ground(machine))
    if not machine.is_imported:
        settle(machine, [*machine.links][first:])


def settle(machine: Run, new: Sequence[Module]) -> None:
    """Know which of the modules that have been interpreted use the one that is looked at."""
    unsettled = [each for each in new if each in machine.circular]
    machine.circular.difference_update(unsettled)
    left = [(each, *found) for each in unsettled for found in left_by(machine, each)]
    while found := [one for one in left if not machine.circular.isdisjoint(one[-1].used)]:
        for module, source, key, _ in found:
            machine.circular.add(module)
            del source.kept[key]
        left = [one for one in left if one not in found]


def left_by(machine: Run, module: Module) -> Iterator[tuple[Source, Hashable, Linked]]:
    """What this run has left of a module for others."""
    source = source_of(machine, module)
    for key, known in source.kept.items() if source is not None else ():
        if source and isinstance(known, Linked) and known.view is machine.links[module]:
            yield source, key, known


def take_over(machine: Run, module: Module, known: Linked) -> None:
    """Take in a module that has been interpreted before, and those that it used by then."""
    machine.links[module] = machine.views[known.view.frame] = known.view
    machine.objects |= known.objects
    machine.splits |= known.splits
    keep(machine, known)
    for each in known.used:
        linked(machine, each)


def ground(machine: Run) -> State[Lattice]:
    """What modules start from; of it they see the default device of the program."""
    return machine.here() if machine.is_imported else root(machine.here())


def link(machine: Run, home: Place, source: Source, start: State[Lattice]) -> Linked:
    """Interpret a module, and take over what it leaves."""
    splits = set(machine.splits)
    seeds = seeds_of(source, machine.libraries, home)
    view = View(seeds.module, ModuleFrame(), seeds, place_of(source, home), source)
    inner = machine.beside(view)
    inner.state = start.fork()
    machine.links[source.module] = machine.views[view.frame] = view
    inner.run(view.module.body)
    inner.fall_silent()
    written = inner.state.since(start)[0] if inner.state else {}
    forget_rebound(view, written)
    default, made = written.pop(DEFAULT, None), frozenset(written.keys() & machine.objects)
    told, used = frozenset(machine.splits - splits), tuple(view.used)
    known = Linked(view, default, written, made, told, used)
    keep(machine, known)
    return known


def keep(machine: Run, known: Linked) -> None:
    """Let what a module has left be there as if it had been all along; the default device is that
    of the program from here on."""
    if known.default is not None:
        machine.here().put(DEFAULT, known.default)
    machine.here().put_below(known.cells)


def root(state: State[Lattice]) -> State[Lattice]:
    while state.parent is not None:
        state = state.parent
    return state


def forget_rebound(view: View, written: dict[Hashable, Lattice]) -> None:
    """Names of a module that functions rebind may be anything by the time that others run."""
    for node in view.seeds.definitions:
        for statement in node.body:
            if isinstance(statement, ir.Scope) and statement.kind == "global":
                written.update(((view.frame, name), NOTHING) for name in statement.names)
