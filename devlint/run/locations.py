"""Where nodes are: in the file that is looked at, or in another one of its project."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from devlint.finding import Span
from devlint.lower import ir
from devlint.lower.lowered import Lowered, number_of
from devlint.project.project import Source
from devlint.text.display_paths import shown


class Location(NamedTuple):
    path: str
    span: Span


class Locations:
    """Where the nodes of a file are, and those of the others that it uses."""

    def __init__(self, path: str, lowered: Lowered, others: Sequence[Source]) -> None:
        self.path, self.lowered = path, lowered
        self._owners = {source.number: source for source in others}

    def of(self, nodes: Iterable[ir.Node]) -> dict[ir.Node, Location]:
        apart = defaultdict[Source | None, list[ir.Node]](list)
        for node in nodes:
            number = number_of(node)
            apart[None if number is None else self._owners[number]].append(node)
        return {
            node: Location(self._path(source), span)
            for source, found in apart.items()
            for node, span in self._spans(source, found).items()
        }

    def _path(self, source: Source | None) -> str:
        return shown(source.module.path) if source else self.path

    def _spans(self, source: Source | None, nodes: Sequence[ir.Node]) -> dict[ir.Node, Span]:
        return (source or self).lowered.spans(nodes)
