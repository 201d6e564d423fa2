"""PyTorch-Ignite: what the steps of engines give to a model, and helpers that place it.

Since 0.4 an engine moves batches and leaves models where they are. Its metrics bring what they are
given to their own device. Source: pytorch-ignite 0.5.5, `engine/__init__.py` and
`distributed/auto.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from devlint.event import Feed, Operand
from devlint.facts.effect import Fact, NamesDevice, Opaque
from devlint.interpret.core import module_state
from devlint.interpret.core.call import Argument, Arguments, Call
from devlint.interpret.core.containers import container, element, item
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.library_model import LibraryModel
from devlint.interpret.core.scopes import ClassInfo
from devlint.interpret.core.signals import Calling
from devlint.interpret.tensors import transfers
from devlint.lower import ir
from devlint.queries.name_conventions import written
from devlint.rule.analysis import Analysis, on
from devlint.values.device import UNKNOWN, Device, asked, chosen
from devlint.values.dimensions import ARRAY, UNRANKED
from devlint.values.instance import Instance
from devlint.values.origin import Origin
from devlint.values.payload import Payload
from devlint.values.value import NOTHING, Kind, Value


@dataclass(frozen=True, slots=True)
class Converts(Fact):
    """What it is given first, with every tensor in it on `device=`; as it is without one."""


@dataclass(frozen=True, slots=True)
class Distributes(Fact):
    """Moves a module to the device of its process, in place, and wraps it if there are several."""


@dataclass(frozen=True, slots=True)
class Supervises(Fact):
    """An engine that lets a model, which it does not move, compute with batches on `device=`.

    `position`: of that argument. `replaced_by`: arguments by which it does something else.
    """

    position: int
    replaced_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Processes(Fact):
    """An engine that hands batches to a function, as they are."""


@dataclass(frozen=True, slots=True, eq=False)
class Supervision(Payload):
    """What the steps of an engine do: `model` computes with batches that are on `device`."""

    call: ir.Call
    model: Argument
    device: Argument | None


@dataclass(frozen=True, slots=True, eq=False)
class Process(Payload):
    """What the steps of an engine do: they call a function with the engine and a batch."""

    function: Value


def supervises(machine: Run, fact: Supervises, call: Call) -> Value:
    arguments = call.arguments
    model = arguments.get(0, "model")
    is_other = arguments.is_open or not arguments.keywords.keys().isdisjoint(fact.replaced_by)
    if model is None or is_other or len(arguments.positional) > fact.position + 1:
        module_state.escape_given(machine, arguments)
        return machine.make(call.node, Instance())
    device = arguments.get(fact.position, "device")
    return Value(Kind.OBJECT, payload=Supervision(call.node, model, device))


def processes(machine: Run, fact: Processes, call: Call) -> Value:
    given = call.arguments.get(0, "process_function")
    return Value(Kind.OBJECT, payload=Process(given.value)) if given is not None else NOTHING


class Engines(Analysis[Run]):
    """`engine.run(loader)`: what its steps compute with is known by now."""

    @on(Calling)
    def call(self, signal: Calling) -> None:
        call = signal.call
        if call.name != "run" or not call.is_method:
            return
        data = call.arguments.get(0, "data")
        engine = call.receiver.payload
        if data is None or not isinstance(engine, Supervision | Process):
            return
        batch = element(self.run, data.value, call.node)
        if isinstance(engine, Supervision):
            supervised(self.run, engine, replace(data, value=batch))
        elif batch.device.is_known:
            whole = Argument(getattr(call.node.func, "value", call.node.func), call.receiver)
            given = (whole, replace(data, value=batch))
            self.run.apply(call.node, engine.function, Arguments(given))


def supervised(machine: Run, engine: Supervision, batch: Argument) -> None:
    model = engine.model.value
    device, origin = module_state.module_device(machine, model)
    if not device.is_known or not leaves_inputs(machine, model):
        return
    fed = sent(engine.device) if engine.device is not None else taken(machine, batch)
    if fed is not None and fed.value.device.is_known:
        known = Value(Kind.MODULE, device, ref=model.ref, origin=origin)
        operand = Operand(engine.model.node, written(engine.model.node), known)
        machine.emit(Feed(engine.call, operand, (fed,)))


def leaves_inputs(machine: Run, model: Value) -> bool:
    """Whether a module has state, and computes with its inputs where they are."""
    instance = machine.instance(model.ref)
    if not module_state.is_module(machine, model) or module_state.is_placing(machine, model):
        return False
    if isinstance(instance.type, ClassInfo) and machine.seeds.may_move(instance.type.node.words):
        return False
    return next(module_state.state_devices(machine, model), None) is not None


def sent(given: Argument) -> Operand | None:
    """A batch that the engine has moved."""
    device = transfers.device_named(given)
    if given.value.is_none or device is None:
        return None
    origin = Origin(given.node, f"batches are moved to {device.told} here, the model is not")
    return Operand(given.node, "batch", Value(Kind.TENSOR, device, ARRAY, origin=origin))


def taken(machine: Run, batch: Argument) -> Operand | None:
    """The input of a batch as the loader gives it."""
    first = item(machine, batch.value, 0, batch.node)
    origin = first.origin and Origin(batch.node, "without a `device` the engine moves no batches")
    value = Value(Kind.TENSOR, first.device, ARRAY, origin=origin)
    return Operand(batch.node, written(batch.node), value) if first.device.is_cpu else None


def distributes(machine: Run, fact: Distributes, call: Call) -> Value:
    """The model is moved; wrapped, it takes its inputs along."""
    given = call.arguments.get(0, "model")
    if given is None:
        return NOTHING
    device = chosen(f"{written(call.node.func).rpartition('.')[0]}.device()".lstrip("."))
    origin = Origin(call.node, f"moved to {device.told} here", machine.frame.path)
    module_state.move(machine, given.value, device, origin)
    if not module_state.is_module(machine, given.value):
        return replace(given.value, device=device, origin=origin)
    return module_state.placed(machine, given.value)


def converts(machine: Run, fact: Converts, call: Call) -> Value:
    arguments = call.arguments
    given, place = next(iter(arguments), None), arguments.get(1, "device")
    if given is None or (place is None and arguments.is_open):
        return NOTHING
    if place is None or place.value.is_none:
        return given.value
    device = asked(transfers.device_named(place) or UNKNOWN)
    return converted(machine, call.node, given.value, device)


def converted(machine: Run, node: ir.Call, value: Value, device: Device) -> Value:
    origin = Origin(node, f"moved to {device.told} here", machine.frame.path)
    held = machine.instance(value.ref).items
    if value.kind is Kind.CONTAINER and held:
        items = {
            key: each if each.is_number else moved(each, device, origin)
            for key, each in held.items()
        }
        return container(machine, node, items)
    if value.kind is Kind.TENSOR:
        return moved(value, device, origin)
    made = machine.make(node, Instance(device=device, origin=origin))
    return replace(made, device=device, origin=origin)


def moved(value: Value, device: Device, origin: Origin) -> Value:
    dimensions = value.dimensions if value.kind is Kind.TENSOR else UNRANKED
    kind = Kind.TENSOR if value.kind is Kind.TENSOR else Kind.UNKNOWN
    return Value(kind, device, dimensions, origin=origin)


_REPLACED = ("prepare_batch", "model_transform", "model_fn")
_PATTERNS: tuple[tuple[str, Fact], ...] = (
    (r"ignite\.distributed\.(utils\.)?device", NamesDevice("", is_chosen=True)),
    (r"ignite\.distributed\.(auto\.)?auto_model", Distributes("-model -sync_bn")),
    (r"ignite\.distributed\.(auto\.)?auto_dataloader", Opaque("~dataset", "loader")),
    (r"ignite\.(utils|_utils)\.convert_tensor", Converts("-x -device -non_blocking")),
    (r"ignite\.engine\._prepare_batch", Converts("-batch -device -non_blocking")),
    (r"ignite\.engine\.create_supervised_trainer", Supervises("-model", 3, _REPLACED)),
    (r"ignite\.engine\.create_supervised_evaluator", Supervises("-model", 2, _REPLACED)),
    (r"ignite\.engine\.(engine\.)?Engine", Processes("-process_function")),
)

MODEL = LibraryModel[Run](
    packages=frozenset({"ignite"}),
    moves=True,
    patterns=_PATTERNS,
    handlers={
        Converts: converts,
        Distributes: distributes,
        Processes: processes,
        Supervises: supervises,
    },
    analyses=(Engines,),
    words=frozenset(
        "convert_tensor _prepare_batch auto_model create_supervised_trainer "
        "create_supervised_evaluator".split()
    ),
)
