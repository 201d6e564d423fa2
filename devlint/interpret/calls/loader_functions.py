"""Functions in view that loaders call of their own accord, with the facts of the loader."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from devlint.interpret.calls import activation, inlining
from devlint.interpret.calls.given_devices import is_seeded
from devlint.interpret.core import batches, module_state
from devlint.interpret.core.call import Argument, Arguments, Call
from devlint.interpret.core.containers import container, items_of, joined
from devlint.interpret.core.definitions import is_decorated
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.scopes import Bound, ClassInfo, Function
from devlint.interpret.core.signals import LoaderCalled, LoaderCalling
from devlint.interpret.objects import loader_options, loaders
from devlint.interpret.objects.callers import Partial
from devlint.lower import ir
from devlint.values.instance import ANY
from devlint.values.value import Kind, Value

#: What a loader calls of its dataset.
READERS = ("__getitem__", "__getitems__", "__iter__", "__next__")


class Entry(NamedTuple):
    """A function that a loader calls."""

    function: Function
    arguments: Arguments
    receiver: Value | None


def call_functions(run: Run, call: Call) -> None:
    """Call what a new loader calls: it works on the CPU. Analyses hear of what may run in worker
    processes, and of what gives the loader what it pins.

    What that makes loaders of calls nothing in its turn.
    """
    if run.is_loading:
        return
    options = loader_options.read(run, call.arguments)
    is_told = bool(options.workers or options.setting or options.pins_memory)
    for entry in entries(run, call.arguments):
        call_function(run, call, entry, is_told=is_told)
    for entry in choosers(run, call.arguments):
        call_function(run, call, entry, is_told=False)


def call_function(run: Run, call: Call, entry: Entry, *, is_told: bool) -> None:
    """Nothing that it does to the program's state comes back from a worker process."""
    function = entry.function
    if not is_seeded(run, function):
        return
    path = (*run.frame.path, call.node)
    if inlining.is_running(run, function) or not inlining.admit(run, function, path):
        return
    run.placed.add(function.node)
    state = run.here()
    run.state, run.is_loading = state.fork(), True
    if is_told:
        run.publish(LoaderCalling(call, function))
    value = activation.run(run, function, entry.arguments, entry.receiver, path).value
    if is_told:
        run.publish(LoaderCalled(call, function, value))
    run.state, run.is_loading = state, False


def entries(run: Run, arguments: Arguments) -> Iterator[Entry]:
    """The functions in view that a loader calls."""
    dataset = arguments.get(0, "dataset")
    for each in datasets(run, dataset.value, set()) if dataset is not None else ():
        type_ = run.instance(each.ref).type
        for name in READERS:
            function = type_.method(name) if isinstance(type_, ClassInfo) else None
            if function is not None:
                yield Entry(function, sample(function, 1), each)
        if each.payload == batches.DATASET:
            for part in run.notes.datasets.get(each.ref, ()):
                yield from transforms(run, part)
    for name in ("collate_fn", "worker_init_fn"):
        argument = loader_options.given(arguments, name)
        if argument is not None:
            yield from called(run, argument.value)


def transforms(run: Run, part: Value) -> Iterator[Entry]:
    """The functions in view that a data set out of view calls of what it is given: a transform, or
    all that one is made of."""
    runs = part.tag(loaders.Runs)
    if runs is None:
        yield from called(run, part)
    for each in () if runs is None else runs.parts:
        yield from transforms(run, each)


def collating(run: Run, call: Call, loader: Value) -> Value:
    """A new loader, which knows what it puts together by functions in view."""
    collate = loader_options.given(call.arguments, "collate_fn")
    entry = None if collate is None else next(called(run, collate.value), None)
    if entry is None:
        return loader
    dataset = call.arguments.get(0, "dataset")
    data = [] if dataset is None else [*datasets(run, dataset.value, set())]
    give = partial(collated, node=call.node, entry=entry, data=data)
    return loader.tagged(batches.Collates(call.node, give))


def collated(run: Run, node: ir.Call, entry: Entry, data: list[Value]) -> Value:
    """What a loader puts together of any items of its data set."""
    items = [item for each in data if (item := read(run, each)) is not None]
    given = container(run, node.func, {ANY: joined(items)}) if items else None
    arguments = entry.arguments
    if given is not None and arguments.positional:
        first, *rest = arguments.positional
        arguments = replace(arguments, positional=(replace(first, value=given), *rest))
    return run.invoke(entry.function, entry.receiver, arguments)


def read(run: Run, data: Value) -> Value | None:
    """An item of a data set in view, or of a list of items."""
    if data.kind is Kind.CONTAINER:
        items = items_of(run, data)
        return joined(items) if items else None
    type_ = run.instance(data.ref).type
    function = type_.method("__getitem__") if isinstance(type_, ClassInfo) else None
    return None if function is None else run.invoke(function, data, sample(function, 1))


def choosers(run: Run, arguments: Arguments) -> Iterator[Entry]:
    """What a loader goes through for the indices of its items, in the program's own process."""
    for name in ("sampler", "batch_sampler"):
        argument = loader_options.given(arguments, name)
        type_ = None if argument is None else run.instance(argument.value.ref).type
        function = type_.method("__iter__") if isinstance(type_, ClassInfo) else None
        if argument is not None and function is not None:
            yield Entry(function, Arguments(), argument.value)


def datasets(run: Run, value: Value, seen: set[Hashable]) -> Iterator[Value]:
    """A data set and those that it is made of (`Subset`, `random_split`, `ConcatDataset`)."""
    yield value
    for part in run.notes.datasets.get(value.ref, ()):
        for each in module_state.parts(run, part, seen):
            yield from datasets(run, each, seen)


def called(run: Run, value: Value) -> Iterator[Entry]:
    """What runs when a value is called with one argument."""
    payload = value.payload
    if isinstance(payload, Function):
        is_of_class = is_decorated(payload, {"classmethod"})
        receiver = Value(Kind.CLASS, payload=payload.owner) if is_of_class else None
        yield Entry(payload, sample(payload, int(is_of_class)), receiver)
    elif isinstance(payload, Bound) and payload.function is not None:
        yield Entry(payload.function, sample(payload.function, 1), payload.receiver)
    elif isinstance(payload, Partial):
        for entry in called(run, payload.function):
            arguments = payload.completed(entry.arguments)
            yield Entry(entry.function, arguments, entry.receiver)
    else:
        type_ = run.instance(value.ref).type
        function = type_.method("__call__") if isinstance(type_, ClassInfo) else None
        if function is not None:
            yield Entry(function, sample(function, 1), value)


def sample(function: Function, index: int) -> Arguments:
    """One argument of which nothing is known, if the function takes one."""
    parameters = function.node.params[index : index + 1]
    return Arguments(tuple(Argument(ir.Name(p.at, p.name), Value(ref=p)) for p in parameters))
