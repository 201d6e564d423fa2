"""Ties: parameters that two modules share, and what makes two of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from devlint.api import (
    META,
    Assigned,
    AttributeRead,
    Call,
    Calling,
    ClassInfo,
    Flaw,
    Kind,
    ModuleCalled,
    ModuleFlaws,
    Origin,
    Problem,
    Run,
    Value,
    ir,
    leaves_state_alone,
    module_state,
    on,
    path,
    source_text,
    walk,
    written,
)

PARAMETERS = frozenset({"weight", "bias"})
#: Methods of a parameter that give a tensor in the same memory, as long as it is not moved.
VIEWS = frozenset({"detach", "to", "cpu", "cuda"})
#: Methods that read or fill parameters, and tie none.
READS = frozenset("parameters named_parameters state_dict load_state_dict".split())


@dataclass(frozen=True, slots=True)
class Tie:
    """`node` assigns one parameter to a second place."""

    node: ir.Assign
    name: str
    other: str


@dataclass(frozen=True, slots=True)
class Untied(Flaw):
    """Of a module that lost a tie."""

    how: Literal["copied", "assigned", "emptied"]
    tie: Tie


class LostTies(ModuleFlaws):
    """Reports ties that are none, or none any more."""

    @on(Calling)
    def call(self, signal: Calling) -> None:
        """A method of a module runs: it may untie it, or tie it again."""
        name, module = signal.call.name, signal.call.receiver
        if module is None:
            return
        if not leaves_state_alone(name) and name not in READS:
            self.reach(module)
        if name == "to_empty":
            self.empty(signal.call, module)
        elif name == "load_state_dict":
            self.load(signal.call, module)

    def empty(self, call: Call, module: Value) -> None:
        """From `meta` to anywhere else each place gets a parameter of its own."""
        if module_state.module_device(self.run, module)[0] == META:
            self.loosen(module, call.node, "emptied")

    def load(self, call: Call, module: Value) -> None:
        """With `assign=True`, each entry of the state dict becomes a parameter."""
        assigns = call.arguments.get(2, "assign")
        if assigns is not None and assigns.value.payload is True:
            self.loosen(module, call.node, "assigned")

    def loosen(self, module: Value, node: ir.Call, how: Literal["assigned", "emptied"]) -> None:
        for part in module_state.parts(self.run, module, set()):
            type_ = self.run.instance(part.ref).type
            tie = next(of_class(type_), None) if isinstance(type_, ClassInfo) else None
            if tie is not None:
                origin = Origin(node, "untied here", self.run.frame.path)
                self.mark(module, Untied(origin, how, tie))

    @on(AttributeRead)
    def read(self, signal: AttributeRead) -> None:
        if signal.node.name != "device":
            self.reach(signal.whole)

    def reach(self, module: Value) -> None:
        """A part of the module is within reach: it may be tied again."""
        flaw = self.flaw(module, Untied)
        if flaw is not None and flaw.how != "copied":
            self.mend(module, Untied)

    @on(Assigned)
    def assign(self, signal: Assigned) -> None:
        """`A.weight = nn.Parameter(B.weight.data)` shares memory only until one is moved."""
        source = self.copied(signal.node.value)
        if source is None:
            return
        for target in signal.node.targets:
            if isinstance(target, ir.Attribute) and are_parameters(target, source):
                self.copy(signal.node, target, source)

    def copied(self, value: ir.Expression) -> ir.Attribute | None:
        """The parameter in whose memory a new one is made."""
        if not isinstance(value, ir.Call) or not value.args:
            return None
        func = value.func
        named = func.name if isinstance(func, ir.Attribute) else written(func)
        source = viewed(value.args[0]) if named == "Parameter" else None
        is_known = source is not None and self.run.evaluate(func).kind is Kind.IMPORTED
        return source if is_known else None

    def copy(self, node: ir.Assign, target: ir.Attribute, source: ir.Attribute) -> None:
        tie = Tie(node, written(target), written(source))
        owner, attribute = path(target)[:2]
        lost = Untied(Origin(node, "copied here"), "copied", tie)
        if owner == "self":
            if are_read(self.run, node, attribute, path(source)[1]):
                self.tell(lost, None)
            return
        root = self.run.lookup(owner)
        if root is not None:
            self.mark(root, lost)

    @on(ModuleCalled)
    def compute(self, signal: ModuleCalled) -> None:
        flaw = self.flaw(signal.module, Untied)
        if flaw is not None:
            self.tell(flaw, signal.call.node)

    def tell(self, lost: Untied, use: ir.Node | None) -> None:
        node, tie = lost.origin.node, lost.tie.node
        tied = () if tie is node else ((tie, "tied here"),)
        later = () if use is None else ((use, "and used here"),)
        self.run.report(self, Problem(node, message(lost), tied, later=later))


def message(lost: Untied) -> str:
    one, other = f"`{lost.tie.name}`", f"`{lost.tie.other}`"
    if lost.how == "copied":
        return (
            f"{one} is a new parameter in the memory of {other}: they look tied on the CPU, and "
            "are two once they are moved"
        )
    how = "`load_state_dict(assign=True)`" if lost.how == "assigned" else "`to_empty`"
    return f"{how} gives {one} and {other} a parameter each: they are not tied any more"


def of_class(owner: ClassInfo) -> Iterator[Tie]:
    """The ties that `__init__` makes whatever it is given, itself or by methods that it calls."""
    init = owner.method("__init__")
    if init is None or not isinstance(init.node, ir.Def):
        return
    for statement in init.node.body:
        yield from tie_of(statement)
        if isinstance(statement, ir.Evaluate) and isinstance(statement.value, ir.Call):
            words = path(statement.value)
            method = owner.method(words[1]) if len(words) == 2 and words[0] == "self" else None
            if method is not None and isinstance(method.node, ir.Def):
                for each in method.node.body:
                    yield from tie_of(each)


def tie_of(statement: ir.Node) -> Iterator[Tie]:
    """`self.a.weight = self.b.weight`."""
    if isinstance(statement, ir.Assign) and isinstance(statement.value, ir.Attribute):
        for target in statement.targets:
            if isinstance(target, ir.Attribute) and are_parameters(target, statement.value):
                yield Tie(statement, written(target), written(statement.value))


def are_parameters(target: ir.Attribute, source: ir.Attribute) -> bool:
    """Whether two different places of one object hold parameters, by their names."""
    one, other = path(target), path(source)
    is_within = one[:1] == other[:1] and len(other) > 2 and len(one) > 1
    is_named = target.name in PARAMETERS and source.name in PARAMETERS
    return is_within and is_named and source_text(target) != source_text(source)


def viewed(node: ir.Expression) -> ir.Attribute | None:
    """The parameter that an expression is a view of."""
    while True:
        if isinstance(node, ir.Call) and isinstance(node.func, ir.Attribute):
            if node.func.name not in VIEWS:
                return None
            node = node.func.value
        elif isinstance(node, ir.Attribute) and node.name == "data":
            node = node.value
        else:
            return node if isinstance(node, ir.Attribute) else None


def are_read(run: Run, node: ir.Assign, *attributes: str) -> bool:
    """Whether other methods of the class read both attributes, and nothing replaces them."""
    owner = run.frame.owner
    if owner is None or not owner.is_module:
        return False
    methods = owner.definitions
    others = [method for method in methods if node not in walk(method)]
    return all(
        any(name in method.words for method in others)
        and not any(name in method.stores for method in others)
        and sum(is_assigned(each, name) for method in methods for each in walk(method)) < 2
        for name in attributes
    )


def is_assigned(node: ir.Node, name: str) -> bool:
    """Whether a statement assigns or deletes `self.name`."""
    targets = node.targets if isinstance(node, (ir.Assign, ir.Delete)) else ()
    return any(isinstance(t, ir.Attribute) and path(t) == ["self", name] for t in targets)
