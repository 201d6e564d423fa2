"""Ids of nodes, by which what is known of a program outlives the tree that it was learned from."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any, NamedTuple, TypeVar

from devlint.lower import ir
from devlint.lower.lowered import number_of
from devlint.lower.walk import walk

T = TypeVar("T")


class NodeId(NamedTuple):
    """A node of a module, by its place in pre-order: the same in each tree of the same text."""

    module: str
    ordinal: int


class NodeIds:
    """The nodes of the tree of a module by their ids, and the ids of the nodes."""

    def __init__(self, module: ir.Module, name: str = "") -> None:
        self.name = name
        self.nodes = list(walk(module))
        self._ordinals = {node: ordinal for ordinal, node in enumerate(self.nodes)}
        self._owners = {id(node.at): node for node in reversed(self.nodes)}

    def of(self, node: ir.Node) -> NodeId | None:
        """None for a node that is not of this tree, such as one made up for an argument."""
        ordinal = self._ordinals.get(node)
        return None if ordinal is None else NodeId(self.name, ordinal)

    def node(self, known: NodeId) -> ir.Node:
        return self.nodes[known.ordinal]

    def owner(self, node: ir.Node) -> ir.Node | None:
        """The node of the tree that a made-up one stands at."""
        return self._owners.get(id(node.at))

    def agrees(self, other: NodeIds) -> bool:
        """Whether two trees have nodes of the same kinds in the same order."""
        if len(self.nodes) != len(other.nodes):
            return False
        pairs = zip(self.nodes, other.nodes, strict=True)
        return all(one.__class__ is another.__class__ for one, another in pairs)


def rebound(known: T, before: NodeIds, after: NodeIds, as_is: tuple[type, ...] = ()) -> T:
    """A copy of what is known of one tree, with the nodes of another tree of the same text.

    Objects of the classes `as_is`, and nodes of other texts, are shared. Raise `ValueError` for a
    node of neither tree.
    """
    kept: list[object] = []
    data = dumped(known, before, as_is, kept)
    result: T = loaded(data, after, kept)
    return result


def dumped(
    known: object, ids: NodeIds, as_is: tuple[type, ...] = (), kept: list[object] | None = None
) -> bytes:
    """What is known as bytes, in which nodes are ids; objects of the classes `as_is` go to `kept`,
    or where there is no such list their nodes stand for them.

    Raise `ValueError` for a node that is not of the tree and stands at no place of it.
    """
    data = io.BytesIO()
    _Pickler(data, ids, as_is, kept).dump(known)
    return data.getvalue()


def loaded(data: bytes, ids: NodeIds, kept: Sequence[object] = ()) -> Any:
    """What `dumped` made bytes of, with the nodes of a tree."""
    return _Unpickler(io.BytesIO(data), ids, kept).load()


class _Pickler(pickle.Pickler):
    def __init__(
        self,
        data: io.BytesIO,
        ids: NodeIds,
        as_is: tuple[type, ...],
        kept: list[object] | None,
    ) -> None:
        super().__init__(data, pickle.HIGHEST_PROTOCOL)
        self._ids, self._as_is, self._kept = ids, as_is, kept

    def persistent_id(self, obj: Any) -> tuple[str, int] | None:
        is_foreign = isinstance(obj, ir.Node) and number_of(obj) is not None
        if is_foreign or isinstance(obj, self._as_is):
            if self._kept is not None:
                self._kept.append(obj)
                return "kept", len(self._kept) - 1
            obj = getattr(obj, "node", None)
        known = self._ids.of(obj) if isinstance(obj, ir.Node) else None
        return None if known is None else ("node", known.ordinal)

    def reducer_override(self, obj: Any) -> Any:
        """A node that is not of the tree is made anew where it stood."""
        if not isinstance(obj, ir.Node):
            return NotImplemented
        owner = self._ids.owner(obj)
        if owner is None:
            raise ValueError(f"a node of another tree: {obj!r:.80}")
        return _remade, (type(obj), owner, *(getattr(obj, each.name) for each in _rest(obj)))


def _rest(node: ir.Node) -> tuple[Any, ...]:
    """The fields but `at`."""
    return fields(node)[1:]


def _remade(kind: Callable[..., ir.Node], owner: ir.Node, *rest: Any) -> ir.Node:
    return kind(owner.at, *rest)


class _Unpickler(pickle.Unpickler):
    def __init__(self, data: io.BytesIO, ids: NodeIds, kept: Sequence[object]) -> None:
        super().__init__(data)
        self._ids, self._kept = ids, kept

    def persistent_load(self, known: tuple[str, int]) -> Any:
        what, index = known
        return self._ids.nodes[index] if what == "node" else self._kept[index]
