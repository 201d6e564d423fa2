"""Loaders with worker processes: what these run, seen with the facts of the loader."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from devlint.analyses.accelerator_uses import USED, AcceleratorUse
from devlint.event import WorkerUse
from devlint.interpret.calls.inlining import admit, is_seeded, run
from devlint.interpret.calls.method_calls import Partial
from devlint.interpret.core import branch_conditions, module_state
from devlint.interpret.core.call import Argument, Arguments
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.scopes import Bound, ClassInfo, Function
from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.values.condition import Sense
from devlint.values.value import Kind, Origin, Value

#: What a loader calls of its dataset.
READERS = ("__getitem__", "__getitems__", "__iter__", "__next__")
#: Its parameters by position, in PyTorch 2.13.
POSITIONS = {"num_workers": 5, "collate_fn": 6, "pin_memory": 7, "worker_init_fn": 10}
READS = frozenset({"numpy", "item", "tolist"})
#: Start methods of processes that inherit nothing.
AFRESH = frozenset({"spawn", "forkserver"})


class Entry(NamedTuple):
    """A function that a loader calls."""

    function: Function
    arguments: Arguments
    receiver: Value | None


@dataclass(frozen=True, slots=True, eq=False)
class Loader:
    """`count` says how many workers, where it is known; `setting` names the option that does."""

    node: ir.Node
    count: object
    setting: str | None
    pins: bool
    start_method: object
    parent: Origin | None
    uses: tuple[tuple[str, AcceleratorUse, bool], ...]


def loader(machine: Run, node: ir.Call, arguments: Arguments) -> Value:
    """A new loader; a call of what it runs shows whether that uses an accelerator."""
    workers = given(arguments, "num_workers")
    count, setting = workers_of(machine, workers)
    pins = is_true(machine, given(arguments, "pin_memory"))
    if (count or setting or pins) and machine.notes.worker is None:
        uses = [
            (entry.function.name, use, is_returned)
            for entry in entries(machine, arguments)
            for use, is_returned in uses_of(machine, entry, node)
        ]
        if uses:
            context = arguments.get(None, "multiprocessing_context")
            before = machine.here().get(USED)
            machine.notes.loaders[node] = Loader(
                node,
                count,
                setting,
                pins,
                context.value.payload if context is not None else None,
                before.origin if isinstance(before, Value) else None,
                tuple(uses),
            )
    return Value(Kind.OBJECT, payload="loader", origin=Origin(node, "loaded here"))


def given(arguments: Arguments, name: str) -> Argument | None:
    return arguments.get(POSITIONS[name], name)


def workers_of(machine: Run, given: Argument | None) -> tuple[object, str | None]:
    """The number of workers, or the option that sets it."""
    if given is None:
        return None, None
    if given.value.kind is Kind.CONSTANT:
        return given.value.payload, None
    if (
        isinstance(given.node, ir.Call)
        and branch_conditions.last_word(given.node.func) == "cpu_count"
    ):
        return 1, None
    if isinstance(given.node, ir.Attribute):
        return None, given.node.name
    parameter = given.value.ref
    if isinstance(parameter, ir.Parameter) and isinstance(parameter.default, ir.Constant):
        return parameter.default.value, None
    return None, None


def is_true(machine: Run, given: Argument | None) -> bool:
    """Whether a flag is set wherever there is an accelerator."""
    if given is None:
        return False
    if given.value.kind is Kind.CONSTANT:
        return given.value.payload is True
    flag = branch_conditions.condition(machine, given.node)
    return (flag.sense(True), flag.sense(False)) == (Sense.NOTHING, Sense.CPU)


def entries(machine: Run, arguments: Arguments) -> Iterator[Entry]:
    """The functions in view that a loader calls."""
    dataset = arguments.get(0, "dataset")
    for each in datasets(machine, dataset.value, set()) if dataset is not None else ():
        type_ = machine.instance(each.ref).type
        for name in READERS:
            function = type_.method(name) if isinstance(type_, ClassInfo) else None
            if function is not None:
                yield Entry(function, sample(function, 1), each)
    for name in ("collate_fn", "worker_init_fn"):
        argument = given(arguments, name)
        if argument is not None:
            yield from called(machine, argument.value)


def datasets(machine: Run, value: Value, seen: set[Hashable]) -> Iterator[Value]:
    """A data set and those that it is made of (`Subset`, `random_split`, `ConcatDataset`)."""
    yield value
    for part in machine.notes.datasets.get(value.ref, ()):
        for each in module_state.parts(machine, part, seen):
            yield from datasets(machine, each, seen)


def called(machine: Run, value: Value) -> Iterator[Entry]:
    """What runs when a value is called with one argument."""
    payload = value.payload
    if isinstance(payload, Function):
        yield Entry(payload, sample(payload, 0), None)
    elif isinstance(payload, Bound) and payload.function is not None:
        yield Entry(payload.function, sample(payload.function, 1), payload.receiver)
    elif isinstance(payload, Partial):
        for entry in called(machine, payload.function):
            arguments = payload.completed(entry.arguments)
            yield Entry(entry.function, arguments, entry.receiver)
    else:
        type_ = machine.instance(value.ref).type
        function = type_.method("__call__") if isinstance(type_, ClassInfo) else None
        if function is not None:
            yield Entry(function, sample(function, 1), value)


def sample(function: Function, index: int) -> Arguments:
    """One argument of which nothing is known, if the function takes one."""
    parameters = function.node.params[index : index + 1]
    return Arguments(tuple(Argument(ir.Name(p.at, p.name), Value(ref=p)) for p in parameters))


def uses_of(machine: Run, entry: Entry, node: ir.Call) -> Iterator[tuple[AcceleratorUse, bool]]:
    """The uses of accelerators in a function, and whether what is there is returned: where
    that cannot be seen, because nothing comes back from there."""
    function = entry.function
    if isinstance(function.node, ir.Def) and not is_seeded(machine, function.node):
        return
    path = (*machine.frame.path, node)
    if not admit(machine, function, path):
        return
    state, machine.notes.worker = machine.here(), []
    machine.state = state.fork()
    value, _ = run(machine, function, entry.arguments, entry.receiver, path)
    parts = list(module_state.parts(machine, value, set()))
    found, machine.notes.worker, machine.state = machine.notes.worker, None, state
    returned = {p.origin.node for p in parts if p.origin and p.device.is_accelerator}
    stays = not any(use.device.is_cpu for use in found) and not reads(function.node)
    for use in {use.node: use for use in found if not use.device.is_cpu}.values():
        yield use, stays or use.node in returned


def reads(node: ir.Node) -> bool:
    """Whether a function takes numbers or arrays out of tensors."""
    calls = (each.func for each in walk(node) if isinstance(each, ir.Call))
    return any(isinstance(func, ir.Attribute) and func.name in READS for func in calls)


def report(machine: Run) -> None:
    """Let the loaders be known whose workers use accelerators."""
    for loader in machine.notes.loaders.values():
        count = (
            loader.count if loader.setting is None else machine.notes.settings.get(loader.setting)
        )
        method = loader.start_method or machine.notes.start_method
        is_forked = isinstance(count, int) and count > 0 and method not in AFRESH
        parent = loader.parent or machine.notes.started.get(loader.node)
        for entry, use, is_returned in loader.uses:
            is_pinned = loader.pins and is_returned
            if is_forked or is_pinned:
                machine.emit(
                    WorkerUse(
                        use.node,
                        use.operation,
                        entry,
                        use.device,
                        loader.node,
                        is_pinned,
                        parent,
                    )
                )
