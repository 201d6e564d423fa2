"""Who refers to a function of a program, in all files of its project."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from devlint.lower import ir
from devlint.lower.walk import children, walk
from devlint.project.modules import INIT
from devlint.project.project import Place, Source
from devlint.queries.test_code import is_of_tests

#: Functions and classes, each in the one before.
Within: TypeAlias = tuple[ir.Def | ir.Class, ...]
#: So many references to one function, its callers included, are looked at.
MOST = 100


class Name(NamedTuple):
    """By which others come to something: that of a class, for what is called of its objects."""

    text: str
    is_class: bool = False


class Reference(NamedTuple):
    """A place in the text of a module that names a function or class, and what it is in."""

    name: Name
    source: Source
    within: Within

    @property
    def is_export(self) -> bool:
        """Whether a package makes it public."""
        return not self.within and self.source.module.path.endswith(INIT)

    @property
    def is_of_test(self) -> bool:
        """Whether it stands in a file of tests."""
        return is_of_tests(self.source)

    @property
    def reached_by(self) -> Name | None:
        """By which others come to it; None where it runs with its module."""
        if not self.within:
            return None
        innermost = self.within[-1]
        outer = next((each for each in self.within[::-1] if isinstance(each, ir.Class)), None)
        if outer is not None and is_implicit(innermost):
            return Name(outer.name, is_class=True)
        return Name(innermost.name, is_class=innermost is outer)


def is_implicit(definition: ir.Def | ir.Class) -> bool:
    """Whether nobody names it who comes to it, but its class."""
    name = definition.name
    return name == "forward" or (name.startswith("__") and name.endswith("__"))


def references(place: Place, name: Name) -> list[Reference] | None:
    """All references to what has a name, but from itself; None if there may be others."""
    modules = place.naming(name.text)
    if modules is None:
        return None
    found: list[Reference] = []
    for module in modules:
        source = place.project.source(module)
        if source is None:
            return None
        is_export = module.path.endswith(INIT)
        is_far = name.is_class and not place.is_known_to(module)
        is_looked_up = name.text in source.once(texts)
        # Where nothing is imported from where a class is defined, its name stands for something
        # else, unless a text is to be looked up.
        if is_looked_up or not is_far:
            mentions = source.once(named, name.text, is_export, is_looked_up)
            found += (Reference(name, source, within) for within in mentions)
    return found


def texts(module: ir.Module) -> frozenset[str]:
    """The names that texts of a program end with, which may be looked up."""
    ends = (text_end(node) for node in walk(module))
    return frozenset(end for end in ends if end is not None and end.isidentifier())


def named(module: ir.Module, name: str, is_export: bool, is_looked_up: bool) -> list[Within]:
    """What each mention of a name is in; what defines it mentions nothing. What is imported under
    its own name is not mentioned by that, but where the import makes it public. `is_looked_up`:
    texts mention it, too."""
    found: list[Within] = []
    pending: list[tuple[ir.Node, Within]] = [(module, ())]
    while pending:
        node, within = pending.pop()
        if isinstance(node, (ir.Def, ir.Class)):
            if node.name == name or not (is_looked_up or name in node.words):
                continue
            within = (*within, node)
        elif isinstance(node, (ir.Import, ir.ImportFrom)):
            aliases = [alias for taken, alias in node.names if taken == name]
            if aliases and (is_export or aliases != [None]):
                found.append(within)
        elif is_mention(node, name):
            found.append(within)
        pending += ((each, within) for each in children(node))
    return found


def text_end(node: ir.Node) -> str | None:
    """What a text ends with, behind its last dot."""
    if not isinstance(node, ir.Constant) or not isinstance(node.value, str):
        return None
    return node.value.rpartition(".")[2]


def is_mention(node: ir.Node, name: str) -> bool:
    """Whether a node names something, or is a text that may be looked up."""
    if text_end(node) == name:
        return True
    if isinstance(node, ir.Name):
        return node.id == name
    return isinstance(node, ir.Attribute) and node.name == name


class Reach(NamedTuple):
    """From where something is come to: the references to it, to what those are in, and so on, until
    one `is_enough`. `open` are those that nobody in the project leads to."""

    references: list[Reference]
    open: list[Reference]


def reach(place: Place, name: Name, is_enough: Callable[[Reference], bool]) -> Reach | None:
    """None if others than those in view may come to it, or too many do."""
    if not place.is_used:
        return None
    found = Reach([], [])
    pending: list[tuple[Name, list[Reference]]] = [(name, [])]
    seen = {name}
    while pending:
        wanted, below = pending.pop()
        direct = references(place, wanted)
        if direct is None or len(found.references) + len(direct) > MOST:
            return None
        if not direct:
            found.open.extend(below)
        found.references.extend(direct)
        above: dict[Name, list[Reference]] = {}
        for each in (each for each in direct if not is_enough(each)):
            if each.reached_by is None:
                found.open.append(each)
            elif each.reached_by not in seen:
                above.setdefault(each.reached_by, []).append(each)
        seen |= above.keys()
        pending += above.items()
    return found
