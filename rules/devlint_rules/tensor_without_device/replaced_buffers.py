"""Buffers of a module that a method replaces by tensors made on the CPU."""

from __future__ import annotations

from collections.abc import Hashable

from devlint.api import (
    Analysis,
    ClassInfo,
    Ended,
    MethodsExamining,
    Presumption,
    Problem,
    Run,
    StateReplaced,
    Value,
    class_summary,
    ir,
    is_in_reach,
    on,
    used_as_they_are,
)
from devlint_rules.tensor_without_device.callers import is_before_moves
from devlint_rules.tensor_without_device.cpu_factories import factory

#: What assigns an attribute, or registers one, by a name that may be made up.
BY_NAME = frozenset({"setattr", "register_buffer"})
#: What a class has that moves with its objects, but for parameters: buffers, or a way of its own.
MOVED = frozenset({"register_buffer", "_apply"})


class ReplacedBuffers(Analysis[Run]):
    """Reports what a method, other than those that make the module, puts in the place of a buffer.

    A buffer moves with its module: what is put there later is on the CPU until the next move.
    """

    is_failure = True

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        #: What methods have left in the place of buffers so far, by the modules and the names, and
        #: where.
        self.left: dict[tuple[ir.Def, Hashable, str], tuple[ir.Node, Problem]] = {}

    @on(MethodsExamining)
    def ask_again(self, signal: MethodsExamining) -> None:
        """Methods replace buffers without a word of devices, inherited ones those of the class
        that inherits them."""
        owner = signal.owner
        if owner.is_module:
            words = class_summary.summary(self.run, owner).registered | BY_NAME
            signal.words |= words
            is_heir = any(each is not owner for each in owner.line)
            if is_heir and any(not MOVED.isdisjoint(each.node.words) for each in owner.line):
                signal.ask_again(self, words)

    @on(StateReplaced)
    def replace(self, signal: StateReplaced) -> None:
        owner = self.run.instance(signal.whole.ref).type
        if not isinstance(owner, ClassInfo) or self.run.tolerance:
            return
        method, made = self.replacing(signal.whole, owner), factory(signal.value)
        if method is None:
            return
        buffer = (method, signal.whole.ref, signal.name)
        if buffer in self.left and self.left[buffer][0] is not signal.site:
            del self.left[buffer]
        is_array = signal.value.is_scalar is False
        if made is not None and is_array and self.is_used(owner, signal.name, method):
            here = site(self.run, owner, signal)
            self.left[buffer] = signal.site, problem(signal, made.call, here)

    @on(Ended)
    def settle(self, signal: Ended) -> None:
        """By now it has been moved, if its method does that."""
        for _, found in self.left.values():
            self.run.report(self, found)

    def replacing(self, whole: Value, owner: ClassInfo) -> ir.Def | None:
        """The method that is looked at for itself, as nobody in view calls it, and is no step of
        making its module."""
        method = self.run.running[0] if self.run.running else None
        if whole.ref != ("self", owner.node) or not isinstance(method, ir.Def):
            return None
        is_step = method.name == "__init__" or method.name in class_summary.making(owner)
        if not owner.is_module or is_step or method not in owner.definitions:
            return None
        is_called = self.run.contexts.get(method, {}).keys() != {(None, None)}
        return None if is_called or is_before_moves(self.run) else method

    def is_used(self, owner: ClassInfo, name: str, method: ir.Def) -> bool:
        """Whether other methods read an attribute where the module computes."""
        reached = class_summary.summary(self.run, owner).reached - {"__init__"}
        return is_in_reach(self.run, owner) and any(
            each in reached and node is not method and name in self.run.once(used_as_they_are, node)
            for each, node in class_summary.methods(owner).items()
        )


def site(run: Run, owner: ClassInfo, signal: StateReplaced) -> ir.Node:
    """Where the tensor is put there, or what calls for that one of the steps that make a module."""
    calls = (each for each in run.frame.path if isinstance(each, ir.Call))
    steps = class_summary.making(owner)
    ways = zip(calls, run.running[1:], strict=False)
    return next((c for c, each in ways if getattr(each, "name", "") in steps), signal.site)


def problem(signal: StateReplaced, made: ir.Call, here: ir.Node) -> Problem:
    places = ((made, "it is made on the CPU here"), (signal.site, "and put there here"))
    return Problem(
        here,
        f"this puts a tensor that is made on the CPU in the place of the buffer `{signal.name}`: "
        "where the module has been moved, what uses that next raises",
        later=tuple(each for each in places if each[0] is not here),
        presumes=(Presumption.MOVED_MODULE,),
    )
