"""The structure of what is known of a program, as a digest that is the same in each process."""

from __future__ import annotations

from dataclasses import fields
from enum import Enum
from hashlib import blake2b
from types import FunctionType
from typing import Any

from devlint.lower import ir
from devlint.lower.node_ids import NodeIds
from devlint.run.problems_to_findings import AS_IS

PLAIN = (type(None), bool, int, float, complex, str, bytes, Enum, type(Ellipsis))


class Structure:
    """Nodes are their ids; what belongs to a run is the node that it stands for."""

    def __init__(self, ids: NodeIds) -> None:
        self._ids = ids
        self._known: dict[int, str] = {}
        #: An address is that of one object as long as the object is kept.
        self._kept: list[object] = []

    def digest(self, thing: object) -> str:
        if isinstance(thing, AS_IS):
            thing = getattr(thing, "node", None) or thing
        if isinstance(thing, PLAIN):
            return f"{type(thing).__name__} {thing!r}"
        if isinstance(thing, (type, FunctionType)):
            return f"{thing.__module__}.{thing.__qualname__}"
        if id(thing) not in self._known:
            self._kept.append(thing)
            self._known[id(thing)] = "in itself"
            text = f"{type(thing).__name__}({', '.join(self._parts(thing))})"
            self._known[id(thing)] = blake2b(text.encode(), digest_size=12).hexdigest()
        return self._known[id(thing)]

    def _parts(self, thing: Any) -> list[str]:
        if isinstance(thing, ir.Node):
            return self._node(thing)
        if isinstance(thing, (set, frozenset)):
            return sorted(map(self.digest, thing))
        if isinstance(thing, dict):
            return [self.digest(pair) for pair in thing.items()]
        if isinstance(thing, (tuple, list)):
            return [self.digest(each) for each in thing]
        return [self.digest(each) for each in thing.__reduce_ex__(4)[1:3]]

    def _node(self, node: ir.Node) -> list[str]:
        """A node that was made up is what it is made of, where it stands."""
        if (known := self._ids.of(node)) is not None:
            return [str(known.ordinal)]
        owner = self._ids.owner(node)
        rest = [getattr(node, each.name) for each in fields(node)[1:]]
        return [self.digest(each) for each in (owner, *rest)]
