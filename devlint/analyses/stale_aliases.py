"""Aliases of buffers: moves replace the buffer, and the alias stays what the buffer was."""

from __future__ import annotations

from collections.abc import Iterator

from devlint.event import StaleAlias
from devlint.interpret.core.class_summary import methods, stored_outside, summary
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.scopes import ClassInfo
from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.queries.name_conventions import is_self, last_name, written
from devlint.queries.tensor_evidence import has_slice

#: Methods that take a tensor elsewhere, or give what is no tensor.
LEAVES = frozenset(
    "to cuda cpu type_as size dim numel tolist item copy_ is_cuda device dtype".split()
)
NUMBERS = frozenset("shape ndim device dtype is_cuda requires_grad".split())


def found(machine: Run, owner: ClassInfo) -> None:
    """Say where a class combines an alias of one of its buffers that `__init__` set."""
    init = owner.methods.get("__init__")
    if init is None or not owner.is_module or not isinstance(init.node, ir.Def):
        return
    if "register_buffer" not in init.node.words:
        return
    for target, buffer in aliases(init.node):
        if own(target) and is_kept(machine, owner, target.name):
            use = next(uses(machine, owner, target.name), None)
            if use is not None:
                machine.emit(StaleAlias(use, target, f"self.{target.name}", f"self.{buffer}"))


def aliases(init: ir.Def) -> Iterator[tuple[ir.Attribute, str]]:
    """The attributes that are set to a buffer, after it was registered."""
    buffers: set[str] = set()
    for node in walk(init):
        if isinstance(node, ir.Call) and last_name(node.func) == "register_buffer" and node.args:
            name = node.args[0]
            if isinstance(name, ir.Constant) and isinstance(name.value, str):
                buffers.add(name.value)
        elif isinstance(node, ir.Assign) and own(node.value) in buffers:
            yield from ((t, own(node.value)) for t in node.targets if isinstance(t, ir.Attribute))


def own(node: ir.Expression) -> str:
    """The name of an attribute of `self`."""
    return node.name if isinstance(node, ir.Attribute) and is_self(node.value) else ""


def is_kept(machine: Run, owner: ClassInfo, name: str) -> bool:
    """Whether nothing in view sets the alias anew, registers it or moves it."""
    known = summary(machine, owner)
    if known.moves_itself or known.registers(name) or name in stored_outside(machine):
        return False
    others = [method for key, method in methods(owner).items() if key != "__init__"]
    return not any(name in method.stores for method in others)


def uses(machine: Run, owner: ClassInfo, name: str) -> Iterator[ir.Node]:
    """The operations in which the alias takes part in methods that a call of the module comes to,
    and where it is registered once more."""
    reached = summary(machine, owner).reached
    for key, method in methods(owner).items():
        if key in reached and name in method.words:
            for node in walk(method):
                if any(reads(operand, name) for operand in operands(node)):
                    yield node


def operands(node: ir.Node) -> tuple[ir.Expression, ...]:
    """What takes part in an operator, in a function of torch, or in a registration."""
    if isinstance(node, ir.Binary):
        return node.left, node.right
    if isinstance(node, ir.Call):
        called = written(node.func)
        if called.startswith(("torch.", "F.")):
            return node.args
        if called.endswith(".register_buffer") or called == "setattr":
            return node.args[1:]
    return ()


def reads(node: ir.Expression, name: str) -> bool:
    """Whether an operand is the alias, or what its methods and indices give where it is."""
    if isinstance(node, ir.Call) and isinstance(node.func, ir.Attribute):
        return node.func.name not in LEAVES and reads(node.func.value, name)
    if isinstance(node, ir.Subscript):
        # One item by a number may be 0-dimensional, which may meet any device.
        return has_slice(node.index) and reads(node.value, name)
    if isinstance(node, ir.Attribute):
        if is_self(node.value):
            return node.name == name
        return node.name not in NUMBERS and reads(node.value, name)
    if isinstance(node, ir.Display):
        return any(reads(item, name) for item in node.items)
    return False
