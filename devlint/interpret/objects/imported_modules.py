"""What a program imports from its project: modules are interpreted once something of them is used.

What a module of the project does when it is imported is heard by no analysis: it is looked at by
itself. What functions and classes of it do when the program calls them is.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Iterator, Sequence
from typing import cast

from devlint.facts.table import fact
from devlint.interpret.core.call import Arguments
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.views import Symbol, View
from devlint.interpret.objects import registrants
from devlint.interpret.objects.linked_modules import linked
from devlint.lower import ir
from devlint.project.imports import binds
from devlint.project.modules import Module
from devlint.project.project import UNUSED, Used, Uses
from devlint.values.value import NOTHING, Kind, Value

#: What a text has in it that takes over all names of a module.
STAR = "import *"
#: Re-exports of re-exports are followed so far.
DEPTH = 10
#: `reveal_device` is the specs' window into the analysis.
BUILTINS = frozenset({*dir(builtins), "reveal_device"})
#: What a program imports of which only a part is shown, as in a question.
PACKAGES = frozenset({"torch", "numpy"})


def imported(machine: Run, dotted: str, name: str = "") -> str:
    """What an import stands for: a symbol of the project, else the dotted name."""
    place = machine.view.place
    whole = f"{dotted}.{name}" if name else dotted
    if place is None or is_known(machine, whole):
        return whole
    found = place.find(dotted)
    if found is None:
        return whole
    if place.sets_default(found) and found not in machine.links:
        linked(machine, found, is_at_import=True)
    return Symbol(whole, found, name)


def by_text(machine: Run, node: ir.Call, arguments: Arguments) -> Value:
    """`import_module("package.module")`"""
    name = arguments.get(0, "name")
    dotted = None if name is None else name.value.payload
    if not isinstance(dotted, str) or dotted.startswith("."):
        return NOTHING
    return Value(Kind.IMPORTED, payload=imported(machine, dotted))


def is_known(machine: Run, dotted: str) -> bool:
    """Whether devlint has facts about something: those of PyTorch and of libraries come first."""
    libraries = machine.libraries
    return (libraries.of_project(dotted) or fact(dotted) or libraries.fact(dotted)) is not None


def resolved(machine: Run, value: Value, depth: int = DEPTH) -> Value:
    """What a symbol of the project stands for; any other value as it is."""
    symbol = value.payload
    if not isinstance(symbol, Symbol) or not symbol.name:
        return value
    view = linked(machine, symbol.module)
    found = None if view is None else bound(machine, view, symbol.name)
    if found is None and (inner := submodule(machine, symbol)) is not None:
        found = None if view is None else shadowing(machine, view, inner, symbol.name)
        if found is None:
            return Value(Kind.IMPORTED, payload=Symbol(symbol, inner))
    if found is None and view is not None:
        found = starred(machine, view, symbol.name)
    if found is None:
        return Value(Kind.IMPORTED, payload=str(symbol))
    if view is not None:
        registrants.fill(machine, symbol, found, view)
    return resolved(machine, found, depth - 1) if depth else found


def submodule(machine: Run, symbol: Symbol) -> Module | None:
    home = machine.home.place
    return home.project.modules.submodule(symbol.module, symbol.name) if home else None


def shadowing(machine: Run, view: View, inner: Module, name: str) -> Value | None:
    """What a star of a package brings under the name of a file in it: one from that file, or one
    whose text binds the name. To look behind all stars of a large package is to interpret all of
    it."""
    stars = (star for star in view.stars if isinstance(star, Symbol))
    likely = (star for star in stars if star.module == inner or brings(machine, star, name))
    return brought(machine, view, likely, name)


def brings(machine: Run, star: Symbol, name: str) -> bool:
    """Whether the text of a module that a star stands for binds a name."""
    home = machine.home.place
    if home is None:
        return False
    home.asked.texts.add(star.module.path)
    known, key = home.project.kept, (brings, star.module, name)
    if key not in known:
        known[key] = binds(home.project.text(star.module) or "", name)
    return bool(known[key])


def attribute(machine: Run, whole: Symbol, name: str) -> Value:
    """What a module of the project has under a name."""
    dotted = f"{whole}.{name}"
    return resolved(machine, Value(Kind.IMPORTED, payload=Symbol(dotted, whole.module, name)))


def member(machine: Run, view: View, name: str) -> Value | None:
    """What a name of a module is bound to, by its own text or by a star."""
    return bound(machine, view, name) or starred(machine, view, name)


def bound(machine: Run, view: View, name: str) -> Value | None:
    """What the text of a module binds a name to."""
    found = machine.here().get((view.frame, name)) if name in view.frame.names else None
    return found if isinstance(found, Value) else None


def starred(machine: Run, view: View, name: str) -> Value | None:
    """What a star binds a name of a module to."""
    return brought(machine, view, stars(machine, view, name), name) if view.stars else None


def brought(machine: Run, view: View, stars: Iterable[str], name: str) -> Value | None:
    """What a name of a module stands for that one of its stars has brought."""
    key = (view.frame, name)
    if key in machine.sought:
        return None  # Stars may lead in a circle.
    machine.sought.add(key)
    found = (from_star(machine, star, name) for star in stars)
    value = next((each for each in found if each is not None), None)
    machine.sought.discard(key)
    return value


def from_star(machine: Run, star: str, name: str) -> Value | None:
    """What a name stands for that a star may have brought: none that is private."""
    if name.startswith("_"):
        return None
    if not isinstance(star, Symbol):
        dotted = f"{star}.{name}"
        return Value(Kind.IMPORTED, payload=dotted) if is_known(machine, dotted) else None
    view = linked(machine, star.module)
    found = None if view is None else member(machine, view, name)
    return None if found is None else resolved(machine, found)


def stars(machine: Run, view: View, name: str) -> Sequence[str]:
    """Those of a module that may have brought a name, by the texts of what they stand for."""
    key = (stars, name, len(view.stars))
    if key not in view.answers:
        view.answers[key] = [each for each in view.stars if may_bring(machine, each, name)]
    return cast(Sequence[str], view.answers[key])


def may_bring(machine: Run, star: str, name: str) -> bool:
    home = machine.home.place
    if home is None or not isinstance(star, Symbol):
        return True
    home.asked.texts.add(star.module.path)
    text = home.project.text(star.module) or ""
    return name in text or STAR in text


def begin(machine: Run) -> None:
    """Know what others of the project call of the module that is looked at."""
    place = machine.home.place
    if place is None:
        return
    definitions = machine.home.seeds.definitions
    machine.contexts.update((definitions[each], {}) for each in place.uses.placed | place.uses.made)
    machine.placed.update(definitions[each] for each in place.uses.placed)


def used(machine: Run) -> Iterator[Used]:
    """The modules of the project that a run has used, and what of them it has called: how code that
    says nothing of devices calls them says nothing either."""
    handles = machine.home.seeds.handles
    is_told = not machine.home.module.words.isdisjoint(handles)
    for view in machine.views.values():
        if view.source is not None:
            yield Used(view.source, uses(machine, view) if is_told else UNUSED)


def uses(machine: Run, view: View) -> Uses:
    known = enumerate(view.seeds.definitions)
    called = {each: node for each, node in known if node in machine.contexts}
    return Uses(
        frozenset(each for each, node in called.items() if node in machine.accelerated),
        frozenset(each for each, node in called.items() if node.name == "__init__"),
    )


def unbound(name: str) -> Value:
    """What a name stands for that a program binds nowhere."""
    if name in BUILTINS:
        return Value(Kind.IMPORTED, payload=f"builtins.{name}")
    return Value(Kind.IMPORTED, payload=name) if name in PACKAGES else Value(ref=("global", name))
