"""Which programs may put something on an accelerator, and which run where another one has set the
default device."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import PurePath
from typing import cast

from devlint.lower import ir
from devlint.lower.walk import children, imports, packages, walk
from devlint.project.modules import Module
from devlint.project.occurrences import Occurrences
from devlint.project.project import SETTERS, Place, Project
from devlint.queries.device_tests import is_guard
from devlint.queries.dotted_names import last_word
from devlint.queries.name_conventions import names_test_file
from devlint.queries.test_code import is_of_tests
from devlint.values.device import ACCELERATORS

#: So many places that name an accelerator may be left over from somebody's machine.
PLACES = 5


def may_place(module: ir.Module, movers: frozenset[str]) -> bool:
    """Whether a program may, by its text, or by packages that are `movers` of what they are given.
    To put something where an argument is (`device=x.device`) does not bring it there, nor does to
    convert it (`x.to(torch.float64)`)."""
    if not ACCELERATORS.isdisjoint(module.words):
        return True
    if not movers.isdisjoint(packages(imports(module))):
        return True
    return any(map(is_placement, walk(module)))


def is_placement(node: ir.Node) -> bool:
    """Whether an expression names an accelerator or a device, or moves to one."""
    if isinstance(node, ir.Constant):
        return isinstance(node.value, str) and node.value.partition(":")[0] in ACCELERATORS
    if not isinstance(node, ir.Call):
        return False
    given = [value for name, value in node.keywords if name == "device"]
    if last_word(node.func) == "to":
        given += node.args
    is_device = last_word(node.func) == "device"
    return is_device or not all(is_type(each) or is_device_of(each) for each in given)


def is_type(node: ir.Expression) -> bool:
    """Whether something is the type of elements: `x.dtype`, `torch.float64`."""
    if last_word(node) == "dtype":
        return True
    return isinstance(node, ir.Attribute) and last_word(node.value) == "torch"


def is_device_of(node: ir.Expression) -> bool:
    return isinstance(node, ir.Attribute) and node.name == "device"


def literal_accelerator(call: ir.Call) -> str | None:
    """The accelerator that is written out where a call puts something on one: `x.cuda()`."""
    name = last_word(call.func)
    if name == "cuda" and isinstance(call.func, ir.Attribute):
        is_plain = all(isinstance(each, ir.Constant) for each in call.args)
        return "cuda" if is_plain and "device" not in dict(call.keywords) else None
    candidates = list(call.args) if name in ("to", "device") and len(call.args) == 1 else []
    candidates += [value for key, value in call.keywords if key == "device"]
    return next((text for each in candidates if (text := named_accelerator(each))), None)


def named_accelerator(node: ir.Expression) -> str | None:
    """The accelerator that a literal names."""
    text = node.value if isinstance(node, ir.Constant) else None
    if not isinstance(text, str):
        return None
    return text if text.partition(":")[0] in ACCELERATORS else None


def is_bound(place: Place) -> bool:
    """Whether a project, its tests apart, puts things on accelerators that it names, whatever there
    is, in so many places that it runs on no machine without."""
    sources = (place.project.source(each) for each in place.naming("cuda") or ())
    programs = (each for each in sources if each is not None and not is_of_tests(each))
    return sum(each.once(unguarded) for each in programs) > PLACES


def unguarded(module: ir.Module) -> int:
    """How many calls put something on an accelerator that is written out, where no test asks."""
    pending: list[ir.Node] = [*module.body]
    found = 0
    while pending:
        node = pending.pop()
        if isinstance(node, (ir.If, ir.Conditional)) and is_guard(node.test):
            continue
        found += isinstance(node, ir.Call) and literal_accelerator(node) is not None
        pending += children(node)
    return found


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
