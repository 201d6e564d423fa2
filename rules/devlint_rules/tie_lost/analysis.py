"""Ties: parameters that two modules share, and what makes two of them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from devlint.api import (
    META,
    AttributeRead,
    AttributeStored,
    Call,
    Calling,
    ClassExamining,
    ClassInfo,
    Flaw,
    ModuleCalled,
    ModuleFlaws,
    Origin,
    Problem,
    Run,
    Tag,
    Value,
    hands_on_itself,
    ir,
    leaves_state_alone,
    module_state,
    on,
    outermost,
    path,
    walk,
    written,
)
from devlint_rules.tie_lost.memory import (
    PARAMETERS,
    ParameterMemory,
    Shares,
    ancestors,
    held_under,
)

#: Methods that read or fill parameters, and tie none.
READS = frozenset("parameters named_parameters state_dict load_state_dict".split())


@dataclass(frozen=True, slots=True)
class Tie(Tag):
    """`node` puts one parameter, `of`, into a second module, `whole`, both of them parts of the one
    that has this tag."""

    node: ir.Node
    whole: Hashable
    of: Shares
    name: str

    def holds(self, parts: Iterable[Value]) -> bool:
        """Whether both places are among those of a module."""
        refs = {part.ref for part in parts}
        return all(not refs.isdisjoint(ancestors(end)) for end in (self.whole, self.of.whole))


@dataclass(frozen=True, slots=True)
class Untied(Flaw):
    """Of a module that lost a tie."""

    how: Literal["copied", "assigned", "emptied"]
    tie: Tie


class LostTies(ModuleFlaws):
    """Reports ties that are none, or none any more."""

    needs = (ParameterMemory,)

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
        parts = list(module_state.parts(self.run, module, set()))
        ties = (self.run.instance(part.ref).tag(Tie) for part in parts)
        tie = next((each for each in ties if each is not None and each.holds(parts)), None)
        if tie is not None:
            self.mark(module, Untied(Origin(node, "untied here", self.run.frame.path), how, tie))

    @on(AttributeRead)
    def read(self, signal: AttributeRead) -> None:
        if signal.node.name != "device":
            self.reach(signal.whole)

    def reach(self, module: Value) -> None:
        """A part of the module is within reach: it may be tied again."""
        flaw = self.flaw(module, Untied)
        if flaw is not None and flaw.how != "copied":
            self.mend(module, Untied)

    @on(ClassExamining)
    def ask(self, signal: ClassExamining) -> None:
        """An `__init__` that makes nothing of its own may tie what it gets."""
        if signal.owner.is_module:
            classes = (each.node.words for each in signal.owner.line)
            ties = (words for words in classes if not PARAMETERS.isdisjoint(words))
            signal.needs_object |= any("Parameter" in words for words in ties)

    @on(AttributeStored)
    def store(self, signal: AttributeStored) -> None:
        """A parameter gets a second place; or `A.weight = nn.Parameter(B.weight.data)`, which
        shares memory only until one is moved."""
        source, whole, name = signal.value.tag(Shares), signal.whole.ref, signal.name
        if source is None or whole is None or name not in PARAMETERS:
            return
        if (whole, name) != (source.whole, source.name):
            text = written(signal.site) if isinstance(signal.site, ir.Attribute) else name
            self.tie(Tie(signal.site, whole, source, text), name)

    def tie(self, tie: Tie, name: str) -> None:
        for root in roots(self.run, tie):
            one = held_under(self.run, root, tie.whole, name)
            other = held_under(self.run, root, tie.of.whole, tie.of.name)
            if one is not None and other is not None:
                self.note(tie, root, (one, other))
                return

    def note(self, tie: Tie, root: Hashable, attributes: tuple[str, str]) -> None:
        """Remember a tie of the parts of `root`, or that it is none."""
        lost = Untied(Origin(tie.node, "copied here"), "copied", tie)
        receiver = self.run.frame.receiver
        if not tie.of.is_new:
            self.run.store(root, self.run.instance(root).tagged(tie))
        elif receiver is None or receiver.ref != root:
            self.mark(Value(ref=root), lost)
        elif are_read(self.run, root, attributes):
            self.tell(lost, None)

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
    one, other = f"`{lost.tie.name}`", f"`{lost.tie.of.text}`"
    if lost.how == "copied":
        return (
            f"{one} is a new parameter in the memory of {other}: they look tied on the CPU, and "
            "are two once they are moved"
        )
    how = "`load_state_dict(assign=True)`" if lost.how == "assigned" else "`to_empty`"
    return f"{how} gives {one} and {other} a parameter each: they are not tied any more"


def roots(run: Run, tie: Tie) -> Iterator[Hashable]:
    """What may hold both places of a tie: the object whose method runs, what the assignment names,
    the object of which one is a part."""
    if run.frame.receiver is not None:
        yield run.frame.receiver.ref
    named = run.lookup(path(tie.node)[0]) if isinstance(tie.node, ir.Attribute) else None
    found = (None if named is None else named.ref, outermost(tie.whole))
    yield from (each for each in found if each is not None)


def are_read(run: Run, root: Hashable, attributes: Iterable[str]) -> bool:
    """Whether methods of the class read both attributes once more, and nothing replaces them."""
    owner = run.instance(root).type
    if not isinstance(owner, ClassInfo) or not owner.is_module:
        return False
    methods = owner.definitions
    others = [method for method in methods if method not in run.running]
    return all(
        any(is_read(run, each, name) for each in others)
        and not any(name in each.stores for each in others)
        and sum(is_assigned(each, name) for method in methods for each in walk(method)) < 2
        for name in attributes
    )


def is_read(run: Run, method: ir.Def, name: str) -> bool:
    """Whether a method, or a function that it hands its object, names an attribute."""
    if name in method.words:
        return True
    called = [each for each in run.definitions if each.name in method.words]
    return hands_on_itself(method) and any(name in each.words for each in called)


def is_assigned(node: ir.Node, name: str) -> bool:
    """Whether a statement assigns or deletes `self.name`."""
    targets = node.targets if isinstance(node, (ir.Assign, ir.Delete)) else ()
    return any(isinstance(t, ir.Attribute) and path(t) == ["self", name] for t in targets)
