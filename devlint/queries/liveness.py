"""What is read after a statement, by the structure of the code around it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from typing import NamedTuple

from devlint.lower import ir
from devlint.lower.walk import INNER, walk
from devlint.queries.name_conventions import source_text

#: Of a tensor, the same wherever it is; or moves, which leave it where it is.
NEUTRAL = frozenset("shape dtype ndim size dim numel device is_cuda to cuda cpu xpu type".split())
#: What goes no further in its block.
LEAVES = (ir.Return, ir.Raise, ir.Break, ir.Continue)
PLACES = (ir.Name, ir.Attribute, ir.Subscript)


class Place(NamedTuple):
    """Where a statement stands: in a block, that of the statement `around` it if there is one."""

    block: ir.Block
    position: int
    around: ir.Statement | None


class Body:
    """The statements of a function or module, which are looked through once for all questions."""

    def __init__(self, owner: ir.Def | ir.Module) -> None:
        self._places: dict[ir.Statement, Place] = {}
        self._enter(owner.body, None)
        self._texts: dict[ir.Statement, tuple[Set[str], Set[str]]] = {}

    @property
    def statements(self) -> Iterable[ir.Statement]:
        return self._places.keys()

    def way(self, statement: ir.Statement) -> list[Place]:
        """The places of a statement and of those around it, outermost first."""
        found: list[Place] = []
        around: ir.Statement | None = statement
        while around is not None and (place := self._places.get(around)) is not None:
            found.append(place)
            around = place.around
        return found[::-1]

    def later_read(self, statement: ir.Statement, subject: ir.Expression) -> ir.Node | None:
        """Where a name, an attribute or an item is read after a statement and before it is
        assigned.

        The item of a loop is read where what is iterated over is.
        """
        for found, loop in self._reads_behind(statement, subject):
            if found is not None:
                return found
            if loop is not None:
                reads = (self.later_read(loop, whole) for whole in iterated(loop.iter))
                return next((found for found in reads if found is not None), None)
        return None

    def is_read(self, statement: ir.Statement, name: ir.Name) -> bool:
        """Whether a name is read after a statement and before anything assigns it."""
        return any(found is not None for found, _ in self._reads_behind(statement, name))

    def loop(self, statement: ir.Statement, subject: ir.Expression) -> ir.For | None:
        """The loop around a statement that binds its subject."""
        text = source_text(subject)
        around = (place.block[place.position] for place in self.way(statement))
        loops = (each for each in around if isinstance(each, ir.For))
        return next((each for each in loops if text in stored(each.target)), None)

    def _reads_behind(
        self, statement: ir.Statement, subject: ir.Expression
    ) -> Iterator[tuple[ir.Node | None, ir.For | None]]:
        """The first read in what follows in each block around, innermost first, and the loop around
        that one if its target binds the subject."""
        text, wholes = source_text(subject), whole_texts(subject)
        for block, index, around in reversed(self.way(statement)):
            found, is_over = self._scanned(block[index + 1 :], text, wholes)
            loop = around if isinstance(around, ir.For) else None
            if loop is not None and wholes.isdisjoint(stored(loop.target)):
                loop = None
            if loop is None and not is_over and isinstance(around, (ir.For, ir.While)):
                found, is_over = self._scanned(block[:index], text, wholes)
            yield found, None if is_over else loop
            if is_over:
                return

    def _enter(self, block: ir.Block, around: ir.Statement | None) -> None:
        for index, each in enumerate(block):
            self._places[each] = Place(block, index, around)
            for inner in blocks(each):
                self._enter(inner, each)

    def _scanned(
        self, block: Iterable[ir.Statement], text: str, wholes: set[str]
    ) -> tuple[ir.Node | None, bool]:
        """The first read in a block, and whether nothing behind the block can be one: one of
        `wholes` is assigned by then."""
        for each in block:
            mentioned, assigned = self._known(each)
            if text in mentioned and (found := read(each, text)) is not None:
                return found, True
            if not wholes.isdisjoint(assigned):
                return None, True
            if isinstance(each, LEAVES):
                return None, isinstance(each, (ir.Return, ir.Raise))
        return None, False

    def _known(self, statement: ir.Statement) -> tuple[Set[str], Set[str]]:
        """The texts of all names, attributes and items in a statement, and what it assigns."""
        if (found := self._texts.get(statement)) is None:
            places = (each for each in walk(statement) if isinstance(each, PLACES))
            targets = statement.targets if isinstance(statement, ir.Assign) else ()
            assigned = {text for target in targets for text in stored(target)}
            found = self._texts[statement] = set(map(source_text, places)), assigned
        return found


def whole_texts(subject: ir.Expression) -> set[str]:
    """The texts of an expression and of what it is a part of: who assigns these assigns it."""
    texts = {source_text(subject)}
    while isinstance(subject, (ir.Attribute, ir.Subscript)):
        subject = subject.value
        texts.add(source_text(subject))
    return texts


def blocks(statement: ir.Statement) -> Iterator[ir.Block]:
    if isinstance(statement, (ir.If, ir.For, ir.While)):
        yield statement.body
        yield statement.orelse
    elif isinstance(statement, ir.With):
        yield statement.body
    elif isinstance(statement, ir.Match):
        yield from (case.body for case in statement.cases)
    elif isinstance(statement, ir.Try):
        yield statement.body
        yield from (handler.body for handler in statement.handlers)
        yield statement.orelse
        yield statement.final


def read(node: ir.Node, text: str) -> ir.Node | None:
    """Where something below a node reads what `text` says and where it is matters."""
    pending: list[object] = [node]
    while pending:
        each = pending.pop()
        if isinstance(each, tuple):
            pending += reversed(each)
        elif isinstance(each, ir.Attribute) and each.name in NEUTRAL and is_(each.value, text):
            continue
        elif isinstance(each, ir.Node):
            if is_(each, text):
                return each
            pending += reversed(list(parts(each, text)))
    return None


def parts(node: ir.Node, text: str) -> Iterator[object]:
    """What a node reads, in order: what it assigns to is not read."""
    for name in INNER[node.__class__]:
        part = getattr(node, name)
        if name in ("target", "targets") and not isinstance(node, ir.AugmentedAssign):
            targets = part if isinstance(part, tuple) else (part,)
            yield tuple(target for target in targets if text not in stored(target))
        else:
            yield part


def is_(node: ir.Node, text: str) -> bool:
    return isinstance(node, PLACES) and source_text(node) == text


def stored(target: ir.Expression) -> set[str]:
    """What an assignment binds, each as its source says."""
    if isinstance(target, ir.Display):
        return {text for item in target.items for text in stored(item)}
    return {source_text(target.value if isinstance(target, ir.Starred) else target)}


def iterated(node: ir.Expression) -> Iterator[ir.Expression]:
    """The names and attributes of `self` that something iterable is made of."""
    if isinstance(node, ir.Name) or (isinstance(node, ir.Attribute) and is_receiver(node.value)):
        yield node
    elif isinstance(node, (ir.Attribute, ir.Subscript)):
        yield from iterated(node.value)
    elif isinstance(node, ir.Call):
        if not isinstance(node.func, ir.Name):
            yield from iterated(node.func)
        for argument in node.args:
            yield from iterated(argument)
    elif isinstance(node, ir.Display):
        for item in node.items:
            yield from iterated(item)


def is_receiver(node: ir.Expression) -> bool:
    return isinstance(node, ir.Name) and node.id in ("self", "cls")
