"""Functions that compute a model: to export it, to trace it, to count what it does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from devlint.facts.effect import Fact
from devlint.facts.signature import signature
from devlint.interpret.core.call import Argument, Arguments, Call
from devlint.interpret.core.containers import in_order
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.library_model import LibraryModel
from devlint.interpret.tensors import factories
from devlint.lower import ir
from devlint.values.device import ON_CUDA
from devlint.values.dimensions import ARRAY
from devlint.values.origin import Origin
from devlint.values.value import NOTHING, Kind, Value


@dataclass(frozen=True, slots=True)
class Runs(Fact):
    """A function that computes a model, its first parameter, with the second: the items of a tuple,
    or one tensor.

    `gives_model`: it gives what computes as the model does.
    """

    gives_model: bool = False


@dataclass(frozen=True, slots=True)
class RunsOnAccelerator(Fact):
    """A function that computes `model` with what it makes itself, on CUDA or on `device`."""


class Running(NamedTuple):
    """A call, and the model that it runs."""

    call: ir.Call
    model: ir.Expression


def inner(running: Running) -> ir.Call:
    """The call of the model, as if it stood in the place of the other."""
    return ir.Call(running.call.at, running.model, running.call.args, running.call.keywords)


def compute(machine: Run, call: Call, model: Argument, inputs: Iterator[Argument]) -> None:
    node = machine.once(inner, Running(call.node, model.node))
    machine.compute(node, model.value, Arguments(tuple(inputs)))


def runs(machine: Run, fact: Runs, call: Call) -> Value:
    listed = signature(fact.signature)
    given = call.arguments.named(listed)
    model, inputs = (given.get(each.name) for each in listed.parameters)
    if model is None:
        return NOTHING
    if inputs is not None and not call.arguments.is_open:
        compute(machine, call, model, items(machine, inputs))
    return model.value if fact.gives_model else NOTHING


def items(machine: Run, inputs: Argument) -> Iterator[Argument]:
    """The inputs of a model, each where it is written, if it is."""
    if inputs.value.kind is not Kind.CONTAINER:
        yield inputs
        return
    values = in_order(machine.instance(inputs.value.ref).items)
    nodes = inputs.node.items if isinstance(inputs.node, ir.Display) else ()
    for index, value in enumerate(values):
        is_written = len(nodes) == len(values)
        yield Argument(nodes[index] if is_written else inputs.node, value)


def runs_on_accelerator(machine: Run, fact: RunsOnAccelerator, call: Call) -> Value:
    given = call.arguments.named(signature(fact.signature))
    model, node = given.get("model"), call.node
    if model is None or call.arguments.is_open:
        return NOTHING
    told = {"device": given["device"]} if "device" in given else {}
    place = factories.placed(machine, node, Arguments(keywords=told))
    origin = Origin(node, "made on cuda here, where nothing else is told", machine.frame.path)
    device, origin = place if place is not None else (ON_CUDA, origin)
    made = Value(Kind.TENSOR, device, ARRAY, origin=origin)
    compute(machine, call, model, iter((Argument(node, made),)))
    return NOTHING


_FACTS = {
    r"torch\.jit\.trace": Runs("-func -example_inputs", gives_model=True),
    r"torch\.onnx\.export": Runs("-model -args"),
    r"torch\.export\.export": Runs("-mod -args"),
    r"thop\.profile": Runs("-model -inputs"),
    r"fvcore\.nn\.(FlopCountAnalysis|ActivationCountAnalysis)": Runs("-model -inputs"),
    r"torchsummary\.summary": RunsOnAccelerator("-model -input_size -batch_size -device"),
}

MODEL = LibraryModel[Run](
    packages=frozenset({"torch", "thop", "fvcore", "torchsummary"}),
    patterns=tuple(_FACTS.items()),
    handlers={Runs: runs, RunsOnAccelerator: runs_on_accelerator},
)
