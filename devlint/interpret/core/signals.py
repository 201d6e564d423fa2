"""What the engine says of each step that it takes; analyses hear it.

A signal with a `value` is about a value that is being made: a listener may give another one in its
place, such as the same with a tag.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from devlint.event import Operand
from devlint.facts.effect import Exports, Fact, Moves
from devlint.interpret.core.call import Argument, Arguments, Call
from devlint.interpret.core.scopes import ClassInfo, Function
from devlint.lower import ir
from devlint.rule.analysis import Analysis
from devlint.values.condition import Condition
from devlint.values.device import Device
from devlint.values.value import PARAMETER, Kind, Value


@dataclass(slots=True, eq=False)
class Signal:
    """Something happened."""


@dataclass(slots=True, eq=False)
class Revisable(Signal):
    """A value is being made."""

    value: Value


# Calls, in the order in which they come to one.


@dataclass(slots=True, eq=False)
class Calling(Signal):
    """A method, or a function of which there is neither code nor a fact, is about to be called."""

    call: Call


@dataclass(slots=True, eq=False)
class Applying(Signal):
    """A function of which there is a fact is about to be called."""

    call: Call
    fact: Fact


@dataclass(slots=True, eq=False)
class Defaulted(Signal):
    """An analysed `function` that `node` calls with `arguments` has `parameter` take its default,
    `value`."""

    node: ir.Node
    function: ir.Def | ir.Lambda
    parameter: ir.Parameter
    value: Value
    arguments: Arguments


@dataclass(slots=True, eq=False)
class Skipped(Signal):
    """A function of the file is called, and not followed: it has nothing to do with devices."""

    arguments: Arguments
    receiver: Value | None


@dataclass(slots=True, eq=False)
class ModuleCalled(Signal):
    """A module, or an unknown object that may be one, is about to compute."""

    call: Call
    module: Value


@dataclass(slots=True, eq=False)
class ModuleFed(Signal):
    """A module computes: as far as that is known, its inputs are where it is."""

    call: Call
    module: Value


@dataclass(slots=True, eq=False)
class Called(Revisable):
    """A call of anything gives `value`."""

    call: Call
    callee: Value

    @property
    def makes_parameter(self) -> bool:
        """Whether it is `nn.Parameter(tensor)`."""
        is_wrapped = self.callee.kind is Kind.IMPORTED and self.value.payload == PARAMETER
        return is_wrapped and self.call.name.rpartition(".")[2] == "Parameter"


# What calls do.


@dataclass(slots=True, eq=False)
class Created(Revisable):
    """A factory, or what wraps its result, gives `value`."""

    call: Call


@dataclass(slots=True, eq=False)
class Drawn(Revisable):
    """A function gives random numbers, `value`."""

    call: Call


@dataclass(slots=True, eq=False)
class Transferring(Signal):
    """A call of `.to(..)` or its like is about to put `value` on `device`."""

    call: Call
    fact: Moves
    value: Value
    device: Device


@dataclass(slots=True, eq=False)
class Transferred(Revisable):
    """What is on no or another device goes to `device`, and is `value` there."""

    call: Call
    before: Value
    device: Device


@dataclass(slots=True, eq=False)
class Meeting(Signal):
    """Operands that have to share a device meet; `strict` are those of them that may not stay on
    the CPU where another one is elsewhere."""

    node: ir.Node
    operation: str
    operands: Sequence[Operand]
    strict: Sequence[Operand]


@dataclass(slots=True, eq=False)
class Converted(Revisable):
    """A call of `.to(..)` or its like leaves `value` where it is: it says a dtype or nothing."""

    call: Call


@dataclass(slots=True, eq=False)
class Combined(Revisable):
    """Operands that have to share a device meet; `value` is the result."""

    node: ir.Node
    operation: str
    operands: Sequence[Operand]
    #: The operand that the result is with; None where they clash, or nobody knows.
    host: Operand | None = None


@dataclass(slots=True, eq=False)
class Followed(Revisable):
    """An operation on one tensor, `before`, gives `value`, where that is."""

    call: Call
    before: Value


@dataclass(slots=True, eq=False)
class Instantiated(Signal):
    """A call has made `value`, an object of a class in view."""

    owner: ClassInfo
    value: Value


@dataclass(slots=True, eq=False)
class Communicated(Signal):
    """Tensors are handed to other processes."""

    call: Call
    operands: Sequence[Operand]


@dataclass(slots=True, eq=False)
class Exported(Signal):
    """`argument` becomes a NumPy array, or what it holds does, by what the `fact` says: in a call,
    or where it is assigned to items of one."""

    node: ir.Call | ir.Subscript
    fact: Exports
    argument: Argument


@dataclass(slots=True, eq=False)
class OptimizerMade(Signal):
    """An optimizer is made; `parts` are all that it is given, and what that holds."""

    call: Call
    parts: Sequence[Value]


@dataclass(slots=True, eq=False)
class DeviceUsed(Signal):
    """`operation` moves something to `device`, or makes it on an accelerator."""

    node: ir.Node
    operation: str
    device: Device


# Loaders. What one will call is called once, before it is made.


@dataclass(slots=True, eq=False)
class LoaderCalling(Signal):
    """The loader that `call` makes is about to call `function`, for a sample or a batch."""

    call: Call
    function: Function


@dataclass(slots=True, eq=False)
class LoaderCalled(Signal):
    """`function` gives `value` to the loader that `call` makes."""

    call: Call
    function: Function
    value: Value


@dataclass(slots=True, eq=False)
class LoaderMade(Revisable):
    """A data loader is made."""

    call: Call


@dataclass(slots=True, eq=False)
class DataIterated(Signal):
    """An iteration over `data`, a loader or a data set, begins."""

    data: Value


# Names, attributes, items.


@dataclass(slots=True, eq=False)
class Assigned(Signal):
    """A statement has assigned `value`."""

    node: ir.Assign
    value: Value


@dataclass(slots=True, eq=False)
class Augmented(Revisable):
    """`before` becomes `value` as something is `added` to it, or the like."""

    node: ir.AugmentedAssign
    before: Value
    added: Value


@dataclass(slots=True, eq=False)
class AttributeStored(Revisable):
    """`value` becomes the attribute `name` of `whole`, at `site`."""

    whole: Value
    name: str
    site: ir.Node


@dataclass(slots=True, eq=False)
class StateReplaced(Signal):
    """`value` takes the place of the parameter or buffer `name` of `whole`, at `site`."""

    site: ir.Node
    whole: Value
    name: str
    value: Value


@dataclass(slots=True, eq=False)
class AttributeRead(Signal):
    """An attribute of `whole` is read."""

    node: ir.Attribute
    whole: Value


@dataclass(slots=True, eq=False)
class AttributeGiven(Revisable):
    """An attribute of `whole`, as `node` reads it, is `value`."""

    node: ir.Attribute
    whole: Value


@dataclass(slots=True, eq=False)
class ChangedInPlace(Signal):
    """The contents of `value` change."""

    node: ir.Node
    value: Value


@dataclass(slots=True, eq=False)
class Displayed(Revisable):
    """A list, tuple, set or dict of `parts` is written out, as `value`; `values` are its items."""

    node: ir.Display | ir.Mapping
    parts: Sequence[ir.Expression]
    values: Sequence[Value]


@dataclass(slots=True, eq=False)
class Comprehended(Revisable):
    """Each item of a comprehension is `value`."""

    node: ir.Comprehension


@dataclass(slots=True, eq=False)
class Comparing(Signal):
    """The sides of a comparison are about to be evaluated."""

    node: ir.Compare


@dataclass(slots=True, eq=False)
class Compared(Signal):
    """`one is other`, or `is not`."""

    node: ir.Compare
    one: Value
    other: Value


# Control flow.


@dataclass(slots=True, eq=False)
class Looping(Signal):
    """A `for` loop begins."""

    loop: ir.For


@dataclass(slots=True, eq=False)
class Iterated(Revisable):
    """A `for` loop takes `value`."""

    loop: ir.For


@dataclass(slots=True, eq=False)
class Branched(Revisable):
    """A conditional expression gives one of two `values`, joined as `value`."""

    node: ir.Conditional
    test: Condition
    values: tuple[Value, Value]


@dataclass(slots=True, eq=False)
class Returned(Signal):
    """A function returns `value`."""

    node: ir.Return
    value: Value


# What is looked at for itself.


@dataclass(slots=True, eq=False)
class ClassExamining(Signal):
    """A class is about to be looked at for itself, if it has to do with devices.

    A listener may need it to be in any case: the object that its `__init__` makes, or that and
    what its methods do with it.
    """

    owner: ClassInfo
    needs_object: bool = False
    needs_methods: bool = False


@dataclass(slots=True, eq=False)
class ClassExamined(Signal):
    """A class is looked at for itself: `receiver` is an object as its `__init__` makes it.

    A listener may need what the methods do with it.
    """

    owner: ClassInfo
    receiver: Value
    needs_methods: bool = False


@dataclass(slots=True, eq=False)
class MethodsExamining(Signal):
    """The methods of a class are about to be looked at for themselves, each on `receiver`, if they
    have to do with devices.

    A listener may need more of them: those of one of `names`, and those that mention one of
    `words`. An analysis that asks again hears also of methods that callers in view have called, as
    they are without these.
    """

    owner: ClassInfo
    receiver: Value
    names: set[str] = field(default_factory=set)
    words: set[str] = field(default_factory=set)
    again: dict[type[Analysis[Any]], Set[str]] = field(default_factory=dict)

    def ask_again(self, analysis: Analysis[Any], words: Set[str]) -> None:
        """Need the methods that mention one of `words`, even those that were called."""
        if words:
            self.words |= words
            self.again[type(analysis)] = words


@dataclass(slots=True, eq=False)
class FunctionExamined(Signal):
    """A function was looked at for itself, and gives `value`."""

    function: Function
    value: Value


@dataclass(slots=True, eq=False)
class Ended(Signal):
    """The run is over."""
