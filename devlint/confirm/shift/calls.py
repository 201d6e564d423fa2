"""Runs the outermost calls of tests into the package as if all they are given were on CUDA."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx._symbolic_trace import is_fx_symbolic_tracing
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack

from devlint.confirm.device_tags.carried import PHASE, constructing, note_given, shifted
from devlint.confirm.device_tags.device_event import DeviceEvent, events_of
from devlint.confirm.dry_run.report.document_places import where
from devlint.confirm.shift.carrying import Load
from devlint.confirm.shift.caught import is_caught
from devlint.confirm.shift.package import Package
from devlint.confirm.shift.reach import reached
from devlint.confirm.shift.tally import ShiftedEvent, Tally
from devlint.confirm.shift.verdicts import Judge

#: What is not shifted after all, for a module did not let itself be moved.
_NOT_MOVED = object()


@dataclass(slots=True)
class Shift:
    """The shifted calls of a run.

    `goes_on`: an event is noted and the call goes on, unless code between them would have caught
    its exception. `test`: the one that runs.
    """

    package: Package
    device: Any
    goes_on: bool = False
    tally: Tally = field(default_factory=Tally)
    test: str = ""
    _judge: Judge | None = None
    _callee: str = ""
    _is_backward: bool = False

    def call(self, function: Callable[..., Any], owner: Any, args: Any, kwargs: Any) -> Any:
        """`function` of the arguments; `owner`, if there is one, is what it is a method of."""
        callee = function
        if owner is not None:
            function = partial(callee, owner)
        if PHASE.is_shifted or PHASE.constructors or not PHASE.is_used:
            return function(*args, **kwargs)
        self.tally.counts["calls"] += 1
        if _is_traced():
            self.tally.counts["traced"] += 1
            return function(*args, **kwargs)
        is_own = self.package.has_module(callee.__module__)
        self._callee = _name(callee if is_own else type(owner))
        return self._carried(function, owner, args, kwargs)

    def _carried(self, function: Callable[..., Any], owner: Any, args: Any, kwargs: Any) -> Any:
        load = Load(self.device, owner)

        def run() -> Any:
            load.take_call(args, kwargs)
            self.tally.missed.update(set(load.missed))
            self.tally.counts["not carried"] += bool(load.missed)
            self.tally.counts["shifted"] += load.is_moved
            return function(*load.args, **load.kwargs) if load.is_moved else _NOT_MOVED

        result = self._shifted(load, run)
        if result is not _NOT_MOVED:
            return result
        self.tally.counts["not moved"] += 1
        return function(*args, **kwargs)

    def construct(self, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """A constructor, which runs on the CPU."""
        if PHASE.is_shifted:
            return function(*args, **kwargs)
        if not PHASE.constructors:
            for value in (*args[1:], *kwargs.values()):
                self._note(value)
        with constructing():
            return function(*args, **kwargs)

    def backward(self, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """What differentiates the results of shifted calls, which has no arguments to carry."""
        if PHASE.is_shifted or PHASE.constructors or not self.tally.counts["shifted"]:
            return function(*args, **kwargs)
        self._callee, self._is_backward = function.__name__, True
        try:
            return self._shifted(Load(self.device), partial(function, *args, **kwargs))
        finally:
            self._is_backward = False

    def judge(self, event: DeviceEvent, tensors: Sequence[Any]) -> bool:
        """Whether an event raises: outside of shifted calls each does, as on CUDA."""
        if not PHASE.is_shifted or self._judge is None:
            return True
        if not self._judge.is_the_packages(event, tensors):
            self._leave(event)
            return False
        if not self.goes_on or is_caught(event):
            return True
        self._note_event(event)
        return False

    def _shifted(self, load: Load, run: Callable[[], Any]) -> Any:
        with self._judged_by(Judge(self.package, load)):
            try:
                with shifted():
                    return run()
            except Exception as error:
                for event in events_of(error):
                    self._note_event(event)
                raise
            finally:
                load.bring_back()

    @contextmanager
    def _judged_by(self, judge: Judge) -> Iterator[None]:
        self._judge = judge
        try:
            yield
        finally:
            self._judge = None

    def _leave(self, event: DeviceEvent) -> None:
        """What differentiates meets what the test has computed itself, which nobody carries."""
        if not self._is_backward:
            self.tally.leave(where(event.stack[0]) if event.stack else "", PHASE.call)

    def _note_event(self, event: DeviceEvent) -> None:
        self.tally.note(ShiftedEvent(event, self._callee, self.test))

    def _note(self, value: Any) -> None:
        """What a constructor is given itself; objects that hold tensors were made by the user."""
        for each in reached([value]).tensors if type(value) in (list, tuple, dict) else [value]:
            if isinstance(each, torch.Tensor):
                note_given(each)


def _is_traced() -> bool:
    """Whether devices of this call would get into a graph, or have no data."""
    return (
        torch.jit.is_tracing()
        or is_fx_symbolic_tracing()
        or torch.compiler.is_compiling()
        or any(isinstance(each, FakeTensorMode) for each in _get_current_dispatch_mode_stack())
    )


def _name(callee: Any) -> str:
    return f"{callee.__module__}.{callee.__qualname__}"
