"""The machine that runs a program over abstract values and says what its devices do."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar, cast

from devlint.event import Event, Load, Save
from devlint.interpret.core.call import NO_ARGUMENTS, Arguments
from devlint.interpret.core.heap import Memory
from devlint.interpret.core.library_model import Libraries
from devlint.interpret.core.object_ids import Restored
from devlint.interpret.core.relevance import Seeds
from devlint.interpret.core.scopes import ClassInfo, Frame, Function
from devlint.interpret.core.signals import Revisable, Signal
from devlint.interpret.core.views import ModuleFrame, View
from devlint.lower import ir
from devlint.project.modules import Module
from devlint.rule.analysis import Analysis, Failure, Report, in_order
from devlint.rule.problem import Problem
from devlint.values.device import Device
from devlint.values.origin import Origin
from devlint.values.value import Value

Asked = TypeVar("Asked", bound=Hashable)
Answer = TypeVar("Answer")
Inputs = tuple[Frame | None, Hashable]
Listener = Callable[[Any], Value | None]
Asking = TypeVar("Asking", bound=Analysis[Any])

#: What ends a run, wherever it is raised.
FATAL = (RecursionError, MemoryError)


@dataclass(slots=True, eq=False)
class Notes:
    """What is noted on the way for what needs more of the program.

    `datasets`: those of which others are made, by these; `restored`: what optimizers have loaded,
    by the object it is part of; `taken`: parameters that calls in view give tensors, and whether
    all of those may be on an accelerator; `hooked`: modules with hooks; `fed`: calls that hand what
    was put on a device to objects out of view; `trials`: calls of modules with what is made up.
    """

    saves: dict[ir.Node, Save] = field(default_factory=dict)
    loads: dict[ir.Node, Load] = field(default_factory=dict)
    chooses_device: bool = False
    names_accelerator: bool = False
    restored: dict[Hashable, Restored] = field(default_factory=dict)
    datasets: dict[Hashable, tuple[Value, ...]] = field(default_factory=dict)
    taken: dict[ir.Parameter, bool] = field(default_factory=dict)
    hooked: dict[Hashable, None] = field(default_factory=dict)
    fed: set[Hashable] = field(default_factory=set)
    trials: set[ir.Node] = field(default_factory=set)


class Run(Memory):
    """Holds what all of interpretation shares: the memory, the events and the calls that run."""

    #: What gives the value of an expression of each type, and what runs a simple statement.
    evaluators: ClassVar[Mapping[type, Callable[..., Value]]]
    executors: ClassVar[Mapping[type, Callable[..., None]]]

    @abstractmethod
    def invoke(
        self, function: Function, receiver: Value | None = None, arguments: Arguments = NO_ARGUMENTS
    ) -> Value:
        """Call a function in view."""

    @abstractmethod
    def apply(self, node: ir.Call, callee: Value, arguments: Arguments) -> Value:
        """Call a value with arguments that have been evaluated."""

    @abstractmethod
    def compute(self, node: ir.Call, receiver: Value, arguments: Arguments) -> Value:
        """Let a module compute."""

    @abstractmethod
    def is_repeatable(self, move: Origin, device: Device) -> bool:
        """Whether a move written here once more would lead to a device."""

    @abstractmethod
    def beside(self, view: View) -> Run:
        """Another run, of a module that is imported: what is in view and what there is are shared,
        nothing that it finds is heard of."""

    @abstractmethod
    def finish(self, frame: Frame) -> None:
        """Look at what a frame defined and nobody called."""

    def __init__(self, view: View, libraries: Libraries[Run]) -> None:
        super().__init__(view.frame)
        self.libraries = libraries
        #: The module that is looked at, and all in view by their frames and by what they are.
        self.home = view
        self.views = {view.frame: view}
        self.links: dict[Module, View | None] = {view.place.module: view} if view.place else {}
        #: Those that use the module that is looked at, or may for all that is known so far.
        self.circular = {*self.links}
        self.sought: set[tuple[Frame, str]] = set()  # Names that are looked for behind stars.
        #: Whether the module runs because another one imports it.
        self.is_imported = False
        self.events: list[Event] = []
        self.notes = Notes()
        #: The expression statement that is being evaluated.
        self.statement: ir.Evaluate | None = None
        #: Objects out of view that are used as only tensors are.
        self.tensors: set[Hashable] = set()
        #: Attributes of classes that are assigned from outside, and may be anything.
        self.reassigned: set[tuple[ClassInfo, str]] = set()
        #: The abstract inputs with which each function has been interpreted, those of an inner one
        #: by the frame that defined it, and the calls that led there; and what calls gave.
        self.contexts: dict[ir.Node, dict[Inputs, set[tuple[ir.Node, ...]]]] = {}
        #: How many statements the calls of each have run.
        self.spent: dict[ir.Node, int] = {}
        #: Functions that have been called with something that is on a known device.
        self.placed: set[ir.Node] = set()
        #: Functions of other modules that were given what may be on an accelerator.
        self.accelerated: set[ir.Node] = set()
        self.recalled: dict[Hashable, Any] = {}
        #: The functions that run, the innermost one last.
        self.activations: list[Function] = []
        self.finished: set[ir.Node] = set()
        #: The calls of modules in view that are running.
        self.calls: list[ir.Call] = []
        #: Whether what runs is called by a loader.
        self.is_loading = False
        #: Whether a module is being made for itself: what it consists of is where it is.
        self.is_of_whole = False
        self.exhausted = 0
        #: How many blocks are running in which failures are expected.
        self.tolerance = 0
        #: For which analyses a method is looked at by itself whose callers are in view.
        self.asking: frozenset[type[Analysis[Any]]] | None = None
        self.analyses: dict[type[Analysis[Any]], Analysis[Any]] = {}
        self._listeners: dict[type[Signal], list[Listener]] = {}
        #: What analyses have reported.
        self.found: list[Report | Failure] = []
        #: By their addresses, which stay theirs as long as they are kept here.
        self._numbered: dict[int, tuple[int, Value]] = {}

    @property
    def view(self) -> View:
        """The module whose code runs."""
        return self.view_at(self.frame)

    def view_at(self, frame: Frame) -> View:
        """The module that a frame belongs to; it is in view from then on."""
        top = frame.top
        assert isinstance(top, ModuleFrame)
        return self.views.setdefault(top, top.view)

    @property
    def module(self) -> ir.Module:
        return self.view.module

    @property
    def modules(self) -> Iterator[ir.Module]:
        """The module that is looked at, and those of its project that it has used."""
        return (view.module for view in self.views.values())

    @property
    def definitions(self) -> Iterator[ir.Def | ir.Class]:
        """All functions and classes in them."""
        return (each for view in self.views.values() for each in view.seeds.definitions)

    @property
    def seeds(self) -> Seeds:
        return self.view.seeds

    def evaluate(self, node: ir.Expression) -> Value:
        return self.evaluators[node.__class__](self, node)

    def number_of(self, value: Value) -> int:
        """The number of a value, by which conditions know what names are bound to: the same in
        each run of the same program."""
        return self._numbered.setdefault(id(value), (len(self._numbered), value))[0]

    def numbered(self, number: int) -> Value:
        """The value of a number."""
        return next(value for each, value in self._numbered.values() if each == number)

    def once(
        self,
        question: Callable[[Asked], Answer],
        node: Asked,
        owner: Function | ClassInfo | None = None,
    ) -> Answer:
        """What a question about the text of the program is answered, asked only once; about an
        imported module, which its `owner` shows, only once in all runs."""
        frame = self.frame if owner is None else owner.frame
        answers = self.view_at(frame).answers
        key = (question, node)
        if key not in answers:
            answers[key] = question(node)
        return answers[key]  # type: ignore[return-value]  # `cast` would be called.

    def listen(self, analyses: Iterable[type[Analysis[Any]]]) -> None:
        """Let analyses, and those that they need, hear what happens."""
        for kind in in_order(tuple(analyses)):
            analysis = self.analyses[kind] = kind(self)
            for signal, listener in analysis.listeners():
                self._listeners.setdefault(signal, []).append(listener)

    def dismiss(self) -> None:
        """Let go of what refers back to the run and to frames, so that all die by themselves."""
        self.fall_silent()
        for each in self.home.frame.defined:
            if isinstance(each, ClassInfo):
                each.methods.clear()
        self.home.frame.defined.clear()
        del self.home.frame.top, self.home.frame.view

    def fall_silent(self) -> None:
        """Let go of what hears what happens."""
        self.analyses.clear()
        self._listeners.clear()

    def analysis(self, kind: type[Asking]) -> Asking:
        """One that an analysis needs."""
        return cast(Asking, self.analyses[kind])

    def hears(self, kind: type[Signal]) -> bool:
        """Whether anybody listens to signals of a type."""
        return kind in self._listeners

    def publish(self, signal: Signal) -> None:
        """Let the analyses hear a signal."""
        for listener in self._listeners.get(signal.__class__, ()):
            try:
                listener(signal)
            except FATAL:
                raise
            except Exception as error:
                self._leave_out(listener, error)

    def revise(self, signal: Revisable) -> Value:
        """The value of a signal, as those leave it who hear it."""
        for listener in self._listeners.get(signal.__class__, ()):
            try:
                value = listener(signal)
            except FATAL:
                raise
            except Exception as error:
                self._leave_out(listener, error)
            else:
                if value is not None:
                    signal.value = value
        return signal.value

    def _leave_out(self, failed: Listener, error: Exception) -> None:
        """An analysis that raises an exception hears no more."""
        analysis: Analysis[Any] = failed.__self__  # type: ignore[attr-defined]
        self.found.append(Failure(type(analysis), error))
        for signal, listeners in self._listeners.items():
            kept = [each for each in listeners if each.__self__ is not analysis]  # type: ignore[attr-defined]
            self._listeners[signal] = kept

    def report(self, analysis: Analysis[Any], problem: Problem) -> None:
        """A problem that an analysis has found for its rule."""
        is_asking = self.asking is None or type(analysis) in self.asking
        if is_asking and not (self.tolerance and analysis.is_failure):
            self.found.append(Report(type(analysis), problem))

    def counts(self, analysis: Analysis[Any]) -> bool:
        """Whether what an analysis finds here, and reports later, is a fault of the program: not
        where failures are expected, nor in a method that is looked at once more for others."""
        return self.asking is None and not (self.tolerance and analysis.is_failure)

    def emit(self, event: Event) -> None:
        if self.asking is None:
            self.events.append(event)

    def is_dropped(self, node: ir.Node) -> bool:
        """Whether nobody takes what an expression gives."""
        return self.statement is not None and self.statement.value is node

    @property
    def running(self) -> list[ir.Def | ir.Lambda]:
        return [each.node for each in self.activations]

    @property
    def owners(self) -> list[ClassInfo | None]:
        """The classes whose methods run, one for each function that runs."""
        return [each.owner for each in self.activations]

    @property
    def function(self) -> ir.Def | ir.Lambda | None:
        """The function that runs, the innermost one."""
        return self.activations[-1].node if self.activations else None

    @property
    def call(self) -> ir.Call | None:
        """The outermost call of a module in view that is running."""
        return self.calls[0] if self.calls else None

    def simple(self, statement: ir.Statement) -> None:
        self.executors[statement.__class__](self, statement)
