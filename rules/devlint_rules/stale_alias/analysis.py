"""Aliases of buffers: moves replace the buffer, and the alias stays what the buffer was."""

from __future__ import annotations

from collections.abc import Iterator

from devlint.api import (
    Analysis,
    ClassExamining,
    ClassInfo,
    Problem,
    Run,
    class_summary,
    has_slice,
    ir,
    is_self,
    last_name,
    on,
    walk,
    written,
)

#: Methods that take a tensor elsewhere, or give what is no tensor.
LEAVES = frozenset(
    "to cuda cpu type_as size dim numel tolist item copy_ is_cuda device dtype".split()
)
NUMBERS = frozenset("shape ndim device dtype is_cuda requires_grad".split())


class BufferAliases(Analysis[Run]):
    """Reports where a class combines an alias of one of its buffers that `__init__` set."""

    @on(ClassExamining)
    def examine(self, signal: ClassExamining) -> None:
        owner = signal.owner
        init = owner.methods.get("__init__")
        if init is None or not owner.is_module or not isinstance(init.node, ir.Def):
            return
        if "register_buffer" not in init.node.words:
            return
        for target, buffer in aliases(init.node):
            if own(target) and is_kept(self.run, owner, target.name):
                use = next(uses(self.run, owner, target.name), None)
                if use is not None:
                    self.tell(target, buffer, use)

    def tell(self, alias: ir.Attribute, buffer: str, use: ir.Node) -> None:
        message = (
            f"`self.{alias.name}` stays the tensor that `self.{buffer}` is now: a move of the "
            "module replaces the buffer, and leaves this one on the CPU"
        )
        used = ((use, "used here, beside what was moved"),)
        self.run.report(self, Problem(alias, message, later=used, fault=use))


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


def is_kept(run: Run, owner: ClassInfo, name: str) -> bool:
    """Whether nothing in view sets the alias anew, registers it or moves it."""
    known = class_summary.summary(run, owner)
    if known.moves_itself or known.registers(name) or name in class_summary.stored_outside(run):
        return False
    others = [method for key, method in class_summary.methods(owner).items() if key != "__init__"]
    return not any(name in method.stores for method in others)


def uses(run: Run, owner: ClassInfo, name: str) -> Iterator[ir.Node]:
    """The operations in which the alias takes part in methods that a call of the module comes to,
    and where it is registered once more."""
    reached = class_summary.summary(run, owner).reached
    for key, method in class_summary.methods(owner).items():
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
