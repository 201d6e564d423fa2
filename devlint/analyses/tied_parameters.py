"""Ties: parameters that two modules share, and what makes two of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from devlint.analyses import module_flaws
from devlint.analyses.module_flaws import Flaw
from devlint.event import TieLost
from devlint.interpret.core import module_state
from devlint.interpret.core.branch_conditions import path
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.scopes import ClassInfo
from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.queries.name_conventions import source_text, written
from devlint.values.device import META
from devlint.values.value import Kind, Origin, Value

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


def assigned(machine: Run, module: Value, node: ir.Call) -> None:
    """`load_state_dict(assign=True)` makes a parameter of each entry of the state dict."""
    loosen(machine, module, node, "assigned")


def emptied(machine: Run, module: Value, node: ir.Call) -> None:
    """From `meta` to anywhere else each place gets a parameter of its own."""
    if module_state.module_device(machine, module)[0] == META:
        loosen(machine, module, node, "emptied")


def loosen(machine: Run, module: Value, node: ir.Call, how: Literal["assigned", "emptied"]) -> None:
    for part in module_state.parts(machine, module, set()):
        type_ = machine.instance(part.ref).type
        tie = next(of_class(type_), None) if isinstance(type_, ClassInfo) else None
        if tie is not None:
            origin = Origin(node, "untied here", machine.frame.path)
            module_flaws.put(machine, module, Untied(origin, how, tie))


def called(machine: Run, module: Value, name: str) -> None:
    """A method of the module runs, and may tie it again."""
    if not module_flaws.leaves_alone(name) and name not in READS:
        reached(machine, module)


def reached(machine: Run, module: Value) -> None:
    """A part of the module is within reach: it may be tied again."""
    flaw = module_flaws.get(machine, module, Untied)
    if flaw is not None and flaw.how != "copied":
        module_flaws.remove(machine, module, Untied)


def used(machine: Run, module: Value, node: ir.Node) -> None:
    flaw = module_flaws.get(machine, module, Untied)
    if flaw is not None:
        tie = flaw.tie
        machine.emit(TieLost(flaw.origin.node, flaw.how, tie.node, node, tie.name, tie.other))


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


def copied(machine: Run, node: ir.Assign, call: ir.Call) -> None:
    """`A.weight = nn.Parameter(B.weight.data)` shares memory only until one of both is moved."""
    named = call.func.name if isinstance(call.func, ir.Attribute) else written(call.func)
    source = viewed(call.args[0]) if named == "Parameter" and call.args else None
    if source is None or machine.evaluate(call.func).kind is not Kind.IMPORTED:
        return
    for target in node.targets:
        if isinstance(target, ir.Attribute) and are_parameters(target, source):
            tie = Tie(node, written(target), written(source))
            if path(target)[0] == "self":
                if are_read(machine, node, path(target)[1], path(source)[1]):
                    machine.emit(TieLost(node, "copied", None, None, tie.name, tie.other))
                continue
            root = machine.lookup(path(target)[0])
            if root is not None:
                lost = Untied(Origin(node, "copied here"), "copied", tie)
                module_flaws.put(machine, root, lost)


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


def are_read(machine: Run, node: ir.Assign, *attributes: str) -> bool:
    """Whether other methods of the class read both attributes, and nothing replaces them."""
    owner = machine.frame.owner
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
