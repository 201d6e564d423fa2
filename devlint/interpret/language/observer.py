"""What expressions give, for those who ask about places of a program."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from devlint.event import Event
from devlint.interpret.core import module_state
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.library_model import Libraries
from devlint.interpret.core.scopes import Frame
from devlint.interpret.core.views import View
from devlint.interpret.language.program import Interpreter
from devlint.interpret.objects import imported_modules
from devlint.interpret.objects.imported_words import view_of
from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.project.project import Place, Source
from devlint.queries.dotted_names import is_path
from devlint.values import steps
from devlint.values.device import Device
from devlint.values.origin import Origin
from devlint.values.tags import Apart, Unfollowed, tag_of
from devlint.values.value import Kind, Value


@dataclass(frozen=True, slots=True, eq=False)
class Clash:
    """An expression whose operands are on different devices, and the last event there, if there
    was any."""

    node: ir.Node
    event: Event | None


@dataclass(frozen=True, slots=True, eq=False)
class Observation:
    """What an expression gives when the calls of a `path` have led to it.

    `chain` are the places that it has its device from, the oldest first, and what is told of them.
    """

    node: ir.Expression
    value: Value
    device: Device
    path: tuple[ir.Node, ...]
    chain: tuple[tuple[ir.Node, str], ...]
    #: Whether nobody takes it: it is what a statement does.
    is_dropped: bool
    #: Where operands clash, so that there is no such value.
    clash: Clash | None

    @property
    def is_left_out(self) -> bool:
        """Whether it comes from a call that a budget left out."""
        return tag_of(self.value.tags, Unfollowed) is not None


@dataclass(frozen=True, slots=True)
class Observed:
    """What was seen of what was `wanted`, and the other modules that the program has used."""

    wanted: Collection[ir.Node]
    seen: tuple[Observation, ...]
    others: tuple[Source, ...]


def observed(
    module: ir.Module, libraries: Libraries[Run], place: Place | None, wanted: Collection[ir.Node]
) -> Observed:
    """What the expressions that are `wanted` give in a program, wherever it comes to them; of a
    loop, what they give in the end."""
    steps.begin()
    observer = Observer(view_of(module, libraries, place), libraries)
    observer.wanted = wanted
    observer.seeds.takes_all = True
    imported_modules.begin(observer)
    observer.listen(libraries.analyses)
    observer.interpret()
    others = tuple(each.source for each in imported_modules.used(observer))
    observer.dismiss()
    return Observed(wanted, tuple(observer.seen.values()), others)


class Observer(Interpreter):
    """Keeps what is asked for of what it comes to."""

    wanted: Collection[ir.Node] = ()

    def __init__(self, view: View, libraries: Libraries[Run]) -> None:
        super().__init__(view, libraries)
        self.seen: dict[tuple[ir.Node, tuple[ir.Node, ...]], Observation] = {}
        #: Devices by their addresses, which stay theirs, with the expressions that named them.
        self._named: dict[int, tuple[Value, tuple[ir.Node, ...]]] = {}
        #: The expressions that named what names have been bound to.
        self._bound: dict[tuple[Frame, str], tuple[ir.Node, ...]] = {}
        #: The devices that expressions give.
        self._given: dict[ir.Node, Value] = {}
        #: By the addresses of the tags of what would have come of them, which stay theirs, and by
        #: the expressions that would have given that.
        self._clashes: dict[int, tuple[Apart, Clash]] = {}
        self._clashed: dict[ir.Node, Clash] = {}

    def evaluate(self, node: ir.Expression) -> Value:
        value = super().evaluate(node)
        if value.kind is Kind.DEVICE:
            # What paths that meet have bound a name to is a device of its own.
            bound = self._bound.get((self.frame, node.id), ()) if isinstance(node, ir.Name) else ()
            self._named.setdefault(id(value), (value, bound or named_by(node)))
            self._given[node] = value
        if (apart := value.tag(Apart)) is not None:
            self._blame(node, apart)
        if node in self.wanted and self.asking is None:
            self._see(node, value)
        return value

    def _blame(self, node: ir.Expression, apart: Apart) -> None:
        """Note the first clash on the way to what an expression gives: its own, that of a part of
        it or of what it calls."""
        if id(apart) not in self._clashes:
            inner = (self._clashed[each] for each in walk(node) if each in self._clashed)
            clash = next(inner, None) or Clash(node, self._last_event(node))
            self._clashes[id(apart)] = apart, clash
        self._clashed[node] = self._clashes[id(apart)][1]

    def _last_event(self, node: ir.Node) -> Event | None:
        at_node = (each for each in reversed(self.events) if getattr(each, "node", None) is node)
        return next(at_node, None)

    def simple(self, statement: ir.Statement) -> None:
        super().simple(statement)
        if isinstance(statement, ir.Assign):
            self._bind(statement, statement.value)

    def next_item(self, loop: ir.For) -> None:
        super().next_item(loop)
        self._bind(loop, loop.iter)

    def _bind(self, statement: ir.Assign | ir.For, value: ir.Expression) -> None:
        for target in bound_by(statement) if self.state is not None else ():
            if isinstance(target, ir.Attribute):
                self._read_back(target)
            elif (found := self.lookup(target.id)) is not None:
                self._keep(target, found, value)

    def _read_back(self, target: ir.Attribute) -> None:
        """See what an attribute is that has been assigned."""
        if target in self.wanted and is_path(target):
            self.evaluate(target)

    def _keep(self, target: ir.Name, bound: Value, node: ir.Expression) -> None:
        if node in self._given and bound.kind is Kind.DEVICE:
            nodes = self._names(self._given[node])
            # What a name is bound to may be a copy of what the expression has given.
            self._named.setdefault(id(bound), (bound, nodes))
            key = self.frame, target.id
            self._bound[key] = tuple(dict.fromkeys((*self._bound.get(key, ()), *nodes)))
        if target in self.wanted:
            self._see(target, bound)

    def _see(self, node: ir.Expression, value: Value) -> None:
        device, origin = value.device, value.origin
        if not device.is_known and value.ref is not None:
            device, origin = module_state.module_device(self, value)
        path = tuple(each for each in self.frame.path if isinstance(each, ir.Call))
        is_dropped = self.is_dropped(node)
        chain = tuple(self._chain(node, value, origin))
        apart = value.tag(Apart)
        clash = self._clashes[id(apart)][1] if id(apart) in self._clashes else None
        self.seen[node, path] = Observation(node, value, device, path, chain, is_dropped, clash)

    def _chain(
        self, node: ir.Expression, value: Value, origin: Origin | None
    ) -> Iterator[tuple[ir.Node, str]]:
        """Where a device is named, and where something came to be on it."""
        if value.kind is Kind.DEVICE:
            yield from self._name(node, value)
        elif origin is not None:
            for each in arguments(origin.node):
                if each in self._given:
                    yield from self._name(each, self._given[each])
            yield origin.node, origin.text

    def _name(self, node: ir.Expression, value: Value) -> Iterator[tuple[ir.Node, str]]:
        """Where a device is named, unless that is where it is used."""
        for each in self._names(value):
            if each is not node:
                yield each, "the device is named here"

    def _names(self, value: Value) -> tuple[ir.Node, ...]:
        return self._named[id(value)][1] if id(value) in self._named else ()


def bound_by(statement: ir.Assign | ir.For) -> Iterator[ir.Name | ir.Attribute]:
    """The names and attributes that a statement binds."""
    pending = [*(statement.targets if isinstance(statement, ir.Assign) else (statement.target,))]
    while pending:
        target = pending.pop()
        if isinstance(target, (ir.Name, ir.Attribute)):
            yield target
        elif isinstance(target, ir.Display):
            pending += target.items
        elif isinstance(target, ir.Starred):
            pending.append(target.value)


def named_by(node: ir.Expression) -> tuple[ir.Node, ...]:
    """What names a device; one that is only read has its name from somewhere else."""
    return () if isinstance(node, (ir.Name, ir.Attribute)) else (node,)


def arguments(node: ir.Node) -> Sequence[ir.Expression]:
    if not isinstance(node, ir.Call):
        return ()
    return (*node.args, *(value for _, value in node.keywords))
