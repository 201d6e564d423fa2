"""The machine that runs a program over abstract values and says what its devices do."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterator, Set
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol, cast

from devlint.event import DiscardedMove, Event, Load, Save
from devlint.flow.execution import Execution
from devlint.flow.state import Cell, State
from devlint.interpret.notes import Notes
from devlint.interpret.profile import Profile
from devlint.interpret.seeds import Seeds
from devlint.lower import ir
from devlint.values.device import ON_CPU, Device
from devlint.values.instance import Instance
from devlint.values.summary import ClassSummary
from devlint.values.value import NOTHING, Either, Kind, Origin, Value

#: The cell of the default device that `set_default_device` and `with torch.device(..)` change.
DEFAULT = "default device"


class Lattice(Cell, Protocol):
    """What is in a cell: a value, or the instance that values refer to."""


UNKNOWN_INSTANCE = Instance()


def made_on_cpu(node: ir.Node) -> Origin:
    return Origin(node, "made on the CPU here")


@dataclass(slots=True, eq=False)
class Frame:
    """An activation of a function, a class body or the module; names are looked up from it.

    `path` are the calls that led here: with a node they name what it makes, the same in every
    round of a loop. `ends` are the states at its returns with what they return. `layer` is the
    module class whose method runs, `owner` the class that defines it.
    """

    parent: Frame | None = None
    path: tuple[ir.Node, ...] = ()
    receiver: Value | None = None
    owner: ClassInfo | None = None
    layer: ClassInfo | None = None
    #: What has ever been bound here: other names need not be looked for.
    names: set[str] = field(default_factory=set)
    outer_names: dict[str, Frame] = field(default_factory=dict)
    ends: list[tuple[State[Any], Value]] = field(default_factory=list)
    yields: list[Value] = field(default_factory=list)
    #: Functions and classes defined here, to be looked at by themselves if nobody calls them.
    defined: list[Function | ClassInfo] = field(default_factory=list)
    is_class_body: bool = False
    #: Below an `__init__` that runs for itself: the insides of what it makes do not matter.
    is_summary: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A function with the frame it was defined in and the class that owns it, if any; inside
    another, with the state it was defined in."""

    node: ir.Def | ir.Lambda
    frame: Frame
    owner: ClassInfo | None = None
    since: State[Any] | None = None

    @property
    def name(self) -> str:
        return self.node.name if isinstance(self.node, ir.Def) else "<lambda>"


@dataclass(slots=True, eq=False)
class ClassInfo:
    """A class in view. `is_module`: it derives from `torch.nn.Module`, as far as can be seen."""

    node: ir.Class
    frame: Frame
    bases: tuple[Value, ...]
    is_module: bool
    #: Names that the class body declares or assigns, in order: what a dataclass is made of.
    fields: list[str] = field(default_factory=list)
    methods: dict[str, Function] = field(default_factory=dict)
    attributes: dict[str, Value] = field(default_factory=dict)

    @property
    def line(self) -> Iterator[ClassInfo]:
        """The class and its bases in view, about in the order in which methods are looked up."""
        pending, seen = [self], set[int]()
        while pending:
            each = pending.pop()
            if id(each) not in seen:
                seen.add(id(each))
                yield each
                bases = [b.detail for b in each.bases if isinstance(b.detail, ClassInfo)]
                pending += reversed(bases)

    def method(self, name: str) -> Function | None:
        return next((c.methods[name] for c in self.line if name in c.methods), None)


@dataclass(frozen=True, slots=True)
class Bound:
    """A method with its receiver; `function` is None where it is not in view."""

    receiver: Value
    name: str
    function: Function | None = None


class Made(NamedTuple):
    """The key of an object made at a node inside a call. (Keys are tuples: they hash in C.)"""

    node: ir.Node
    path: tuple[ir.Node, ...]


class Loaded(NamedTuple):
    """The source of a device that a checkpoint was saved from."""

    load: ir.Node


class Restored(NamedTuple):
    """What the `load_state_dict` of an optimizer was given, on which device."""

    node: ir.Call
    device: Device


class Child(NamedTuple):
    """The key of what an unknown object holds under a name."""

    parent: Hashable
    key: Hashable


class Machine(Execution[Lattice]):
    """Holds what all of interpretation shares: the frame, the events and the checkpoints."""

    @abstractmethod
    def invoke(self, function: Function, receiver: Value | None = None) -> Value:
        """Call a function in view without arguments."""

    @abstractmethod
    def apply(self, node: ir.Call, callee: Value, arguments: Any) -> Value:
        """Call a value with arguments that have been evaluated."""

    @abstractmethod
    def compute(self, node: ir.Call, receiver: Value, arguments: Any) -> Value:
        """Let a module compute."""

    @abstractmethod
    def is_repeatable(self, move: Origin, device: Device) -> bool:
        """Whether a move written here once more would lead to a device."""

    @abstractmethod
    def finish(self, frame: Frame) -> None:
        """Look at what a frame defined and nobody called."""

    def __init__(
        self,
        module: ir.Module,
        evaluators: dict[type, Callable[[Machine, Any], Value]],
        executors: dict[type, Callable[[Machine, Any], None]],
    ) -> None:
        super().__init__()
        self.module = module
        self.frame = Frame()
        self.top = self.frame
        self.events: list[Event] = []
        self.saves: dict[ir.Node, Save] = {}
        self.loads: dict[ir.Node, Load] = {}
        self.notes = Notes()
        self.stars: list[str] = []
        #: The expression statement that is being evaluated.
        self.statement: ir.Evaluate | None = None
        #: Objects out of view that are used as only tensors are, and moves of what may be some.
        self.tensors: set[Hashable] = set()
        self.discards: list[tuple[Hashable, DiscardedMove]] = []
        #: The calls by which each function has been interpreted, and what calls gave.
        self.contexts: dict[ir.Node, set[tuple[ir.Node, ...]]] = {}
        #: Functions that have been called with something that is on a known device.
        self.placed: set[ir.Node] = set()
        self.recalled: dict[Hashable, Any] = {}
        #: The module's own names that the running call has read.
        self.read: set[str] = set()
        #: Keys of all instances ever stored: others need not be looked for.
        self.objects: set[Hashable] = set()
        #: What optimizers have loaded in each frame, by the object that it is part of.
        self.restored: dict[tuple[Frame, Hashable], Restored] = {}
        #: Keys of all modules that ever had a flaw: others need not be looked at.
        self.flawed: set[Hashable] = set()
        self.running: list[ir.Node] = []
        #: The classes whose methods run, one for each function that runs.
        self.owners: list[ClassInfo | None] = []
        self.finished: set[ir.Node] = set()
        self.seeds = Seeds(module)
        #: The calls of modules in view that are running.
        self.calls: list[ir.Call] = []
        #: Of the class that is looked at: attributes that matter, methods that lead to them.
        self.words_of_interest: Set[str] = frozenset()
        #: What classes say of their state.
        self.summaries: dict[ClassInfo, ClassSummary] = {}
        self.exhausted = 0
        #: How many blocks are running in which failures are expected.
        self.tolerance = 0
        self.chooses_device = False
        self.names_accelerator = False
        self.profile: Profile | None = None
        self._evaluators = evaluators
        self._executors = executors

    def evaluate(self, node: ir.Expression) -> Value:
        return self._evaluators[node.__class__](self, node)

    def emit(self, event: Event) -> None:
        self.events.append(event)

    @property
    def call(self) -> ir.Call | None:
        """The outermost call of a module in view that is running."""
        return self.calls[0] if self.calls else None

    def lookup(self, name: str) -> Value | None:
        frame: Frame | None = self.frame
        if name in self.frame.outer_names:
            frame = self.frame.outer_names[name]
        state = self.state
        assert state is not None
        while frame is not None:
            if name in frame.names:
                value = state.get((frame, name))
                if value is not None:
                    if frame is self.top:
                        self.read.add(name)
                    return cast(Value, value)
            frame = frame.parent
            while frame is not None and frame.is_class_body:
                frame = frame.parent
        return None

    def bind(self, name: str, value: Value) -> None:
        frame = self.frame.outer_names.get(name, self.frame)
        frame.names.add(name)
        self.here().put((frame, name), value)

    def instance(self, ref: Hashable) -> Instance:
        """What is known of an object; a part of an unknown one is where the whole is."""
        found = self.state.get(ref) if ref in self.objects and self.state else None
        if found is not None:
            return cast(Instance, found)
        if isinstance(ref, Either):
            return self.instance(ref.one).join(self.instance(ref.other))
        if isinstance(ref, Child):
            whole = self.instance(ref.parent)
            return Instance(device=whole.device, origin=whole.origin, move=whole.move)
        return UNKNOWN_INSTANCE

    def has_instance(self, ref: Hashable) -> bool:
        return ref in self.objects and self.here().get(ref) is not None

    def key(self, node: ir.Node) -> Hashable:
        """The key of what is made at a node, here."""
        return Made(node, self.frame.path) if self.frame.path else node

    def make(self, node: ir.Node, instance: Instance, kind: Kind = Kind.UNKNOWN) -> Value:
        """A new object made at a node."""
        ref = self.key(node)
        self.objects.add(ref)
        self.here().put(ref, instance)
        return Value(kind, ref=ref)

    def store(self, ref: Hashable, instance: Instance) -> None:
        if ref is None:
            return
        is_new = not self.has_instance(ref)
        if is_new and not isinstance(ref, Made) and self.instance(ref) == UNKNOWN_INSTANCE:
            self.here().put_first(ref, UNKNOWN_INSTANCE)
        self.objects.add(ref)
        self.here().put(ref, instance)
        if is_new and isinstance(ref, Child):
            whole = self.instance(ref.parent)
            self.store(ref.parent, whole.with_item(ref.key, Value(ref=ref)))

    def default_device(self, node: ir.Node) -> tuple[Device, Origin]:
        """Where a factory that honours the default device makes its tensors."""
        value = self.here().get(DEFAULT)
        if isinstance(value, Value) and value.kind is Kind.DEVICE:
            told = f"made on the default device, {value.device.told}, here"
            return value.device, Origin(node, told)
        return ON_CPU, made_on_cpu(node)

    def simple(self, statement: ir.Statement) -> None:
        self._executors[statement.__class__](self, statement)

    def widened(self, value: Lattice) -> Lattice:
        if isinstance(value, Value):
            return NOTHING if value.kind is Kind.CONSTANT else replace(value, device=Device())
        if isinstance(value, Instance):
            return replace(value, device=Device(), attaches=())
        return value
