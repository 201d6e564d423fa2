"""Functions and classes in view, and the frames that they run in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from devlint.flow.state import State
from devlint.lower import ir
from devlint.values.payload import Payload
from devlint.values.value import Value


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
    #: The list of what a generator yields.
    yields: Value | None = None
    #: The state at the last `yield`: a loop without an end is left there.
    paused: State[Any] | None = None
    #: Functions and classes defined here, to be looked at by themselves if nobody calls them.
    defined: list[Function | ClassInfo] = field(default_factory=list)
    #: The states in which inner functions were defined. (Functions are in states: with their own
    #: they would only die by garbage collection.)
    since: dict[ir.Node, State[Any]] = field(default_factory=dict)
    is_class_body: bool = False
    #: Whether a lambda that is made here uses its names, and may do so once it has been left.
    is_used_later: bool = False
    #: The comprehension of which it is the one round that stands for all.
    comprehension: ir.Comprehension | None = None
    #: The frame of the module.
    top: Frame = field(init=False)

    def __post_init__(self) -> None:
        self.top = self if self.parent is None else self.parent.top


@dataclass(frozen=True, slots=True, eq=False)
class Function(Payload):
    """A function with the frame it was defined in and the class that owns it, if any; `is_inner`:
    another one defines it; `is_wrapped`: what calls it goes through code in view that may move;
    `is_decorated`: what it gives goes through code out of view."""

    node: ir.Def | ir.Lambda
    frame: Frame
    owner: ClassInfo | None = None
    is_inner: bool = False
    is_wrapped: bool = False
    is_decorated: bool = False

    @property
    def name(self) -> str:
        return self.node.name if isinstance(self.node, ir.Def) else "<lambda>"

    @property
    def is_method(self) -> bool:
        """Whether a class body defines it; what a method defines has the same owner."""
        return self.owner is not None and not self.is_inner


@dataclass(frozen=True, slots=True)
class Record(Payload):
    """A class that `namedtuple` has made, by the names of its fields."""

    fields: tuple[str, ...]


@dataclass(slots=True, eq=False)
class ClassInfo(Payload):
    """A class in view. `is_module`: it derives from `torch.nn.Module`, as far as can be seen."""

    node: ir.Class
    frame: Frame
    bases: tuple[Value, ...]
    is_module: bool
    #: Names that the class body annotates, in order: what a dataclass is made of; those that it
    #: assigns nothing, with what they are annotated as.
    fields: dict[str, ir.Expression | None] = field(default_factory=dict)
    #: By their names; setters of properties by `setter_name`.
    methods: dict[str, Function] = field(default_factory=dict)
    #: What decorators in view make of methods, by what is decorated.
    wrappers: dict[ir.Node, Function] = field(default_factory=dict)
    attributes: dict[str, Value] = field(default_factory=dict)
    #: Kept without the class itself, which would only die by garbage collection.
    _inherited: tuple[ClassInfo, ...] | None = field(default=None, init=False)

    @property
    def line(self) -> tuple[ClassInfo, ...]:
        """The class and its bases in view, about in the order in which methods are looked up."""
        return (self, *self.inherited)

    @property
    def inherited(self) -> tuple[ClassInfo, ...]:
        """Its bases in view, in that order."""
        if self._inherited is None:
            pending, seen = bases_of(self), {self: None}
            while pending:
                each = pending.pop()
                if each not in seen:
                    seen[each] = None
                    pending += bases_of(each)
            self._inherited = (*seen,)[1:]
        return self._inherited

    @property
    def parameters(self) -> list[str]:
        """The parameters of the constructor that `@dataclass` or `namedtuple` makes."""
        bases = (base.payload for base in self.outer_bases)
        found = [base.fields for base in bases if isinstance(base, Record)]
        found += [tuple(each.fields) for each in [*self.line][::-1]]
        return list(dict.fromkeys(name for fields in found for name in fields))

    @property
    def outer_bases(self) -> list[Value]:
        """What it and its bases in view derive from that is not in view."""
        bases = (base for each in self.line for base in each.bases)
        return [base for base in bases if not isinstance(base.payload, ClassInfo)]

    @property
    def imported_bases(self) -> list[str]:
        """The dotted names of those that are imported."""
        return [base.payload for base in self.outer_bases if isinstance(base.payload, str)]

    @property
    def is_tuple(self) -> bool:
        """Whether its objects are named tuples."""
        is_made = any(isinstance(base.payload, Record) for base in self.outer_bases)
        return is_made or "typing.NamedTuple" in self.imported_bases

    @property
    def is_optimizer(self) -> bool:
        """Whether it derives from one of PyTorch's optimizers."""
        return any(name.startswith("torch.optim.") for name in self.imported_bases)

    @property
    def is_function(self) -> bool:
        """Whether it is a function that has its own derivative."""
        return "torch.autograd.Function" in self.imported_bases

    @property
    def definitions(self) -> list[ir.Def]:
        """All methods of the class and its bases in view, those that are overridden too."""
        methods = [method.node for each in self.line for method in each.methods.values()]
        return [node for node in methods if isinstance(node, ir.Def)]

    def method(self, name: str) -> Function | None:
        if (own := self.methods.get(name)) is not None:
            return own
        return next((c.methods[name] for c in self.inherited if name in c.methods), None)

    def setter(self, name: str) -> Function | None:
        """What runs where a property is assigned."""
        return self.method(setter_name(name))


@dataclass(frozen=True, slots=True)
class Bound(Payload):
    """A method with its receiver; `function` is None where it is not in view."""

    receiver: Value
    name: str
    function: Function | None = None


def bases_of(owner: ClassInfo) -> list[ClassInfo]:
    """The bases of a class that are in view, the last one first."""
    found = [base.payload for base in reversed(owner.bases)]
    return [base for base in found if isinstance(base, ClassInfo)]


def setter_name(name: str) -> str:
    """The name among the methods of a class of what runs where a property is assigned."""
    return f"{name}.setter"


def tuple_fields(type_: object) -> Sequence[str] | None:
    """The fields of a named tuple, in their order; None of any other type."""
    if isinstance(type_, Record):
        return type_.fields
    return type_.parameters if isinstance(type_, ClassInfo) and type_.is_tuple else None
