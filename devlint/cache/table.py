"""What is kept of the modules of a project: what they hold, and what they have asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeAlias, TypeVar

from devlint.cache.checked import one_of, text
from devlint.project.dependencies import Asked
from devlint.project.files import Entry

Thing = TypeVar("Thing")
#: What names in folders are.
Names: TypeAlias = dict[tuple[str, str], Entry | None]


@dataclass(slots=True)
class Kept:
    """A module: digests of its text and of what others see of it, and what it imports; None where
    nobody asked."""

    digest: str | None
    interface: str | None = None
    imports: tuple[str, ...] | None = None
    asked: Asked = field(default_factory=Asked)


@dataclass(slots=True)
class Table:
    """Modules by the paths of their files, and the names that were looked up in folders."""

    modules: dict[str, Kept] = field(default_factory=dict)
    names: Names = field(default_factory=dict)


class Numbers(Generic[Thing]):
    """Numbers for what is named often, in the order of the first time."""

    def __init__(self) -> None:
        self.known: dict[Thing, int] = {}

    def of(self, things: Iterable[Thing]) -> list[int]:
        return [self.known.setdefault(each, len(self.known)) for each in things]


def packed(table: Table) -> list[object]:
    """As JSON."""
    paths, names = Numbers[str](), Numbers[tuple[str, str]]()
    paths.of(table.modules)
    names.of(table.names)
    modules = [
        [
            *(each.digest, each.interface),
            None if each.imports is None else paths.of(each.imports),
            paths.of(each.asked.links),
            paths.of(each.asked.texts),
            names.of(each.asked.names),
            sorted(each.asked.words),
        ]
        for each in table.modules.values()
    ]
    return [[*paths.known], packed_names(table.names), modules]


def unpacked(told: Any) -> Table:
    """Raises `ValueError`, `TypeError` or `LookupError` where it is none."""
    every, known, modules = told
    paths, names = [text(each) for each in every], unpacked_names(known)
    pairs = [*names]

    def module(digest: Any, interface: Any, imports: Any, *asked: Sequence[Any]) -> Kept:
        links, read, looked, words = asked
        return Kept(
            None if digest is None else text(digest),
            None if interface is None else text(interface),
            None if imports is None else tuple(paths[each] for each in imports),
            Asked(
                {paths[each] for each in links},
                {paths[each] for each in read},
                {pairs[each] for each in looked},
                {text(each) for each in words},
            ),
        )

    return Table({paths[n]: module(*each) for n, each in enumerate(modules)}, names)


def packed_names(names: Names) -> list[object]:
    folders = Numbers[str]()
    rows = [[*folders.of([folder]), name, entry] for (folder, name), entry in names.items()]
    return [[*folders.known], rows]


def unpacked_names(told: Any) -> Names:
    folders, rows = told
    return {
        (text(folders[folder]), text(name)): one_of(entry, (None, "file", "folder"))
        for folder, name, entry in rows
    }
