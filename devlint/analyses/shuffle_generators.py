"""Loaders, samplers and splits that draw random numbers on the default device."""

from __future__ import annotations

from devlint.event import Operand, Shuffle
from devlint.interpret.core.call import Arguments
from devlint.interpret.core.heap import DEFAULT
from devlint.interpret.core.interpreter import Run
from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.queries.name_conventions import written
from devlint.values.device import ON_CPU, UNKNOWN
from devlint.values.value import NONE, Kind, Value

#: Where `generator` stands among their parameters, in PyTorch 2.13.
GENERATORS = {
    "DataLoader": 12,
    "RandomSampler": 3,
    "SubsetRandomSampler": 1,
    "WeightedRandomSampler": 3,
    "random_split": 2,
}
#: What sets the default device for good.
SETTERS = frozenset({"device", "tensor_type"})
#: Those that take a generator of the CPU where they are given none.
OWNERS = frozenset({"RandomSampler", "random_split"})


def note(machine: Run, node: ir.Call, name: str, arguments: Arguments) -> None:
    last = name.rpartition(".")[2]
    if last not in GENERATORS or arguments.is_open:
        return
    given = arguments.get(GENERATORS[last], "generator")
    if given is not None and given.value == NONE:
        given = None
    if given is None and last not in OWNERS and not (last == "DataLoader" and shuffles(arguments)):
        return
    generator = Operand(given.node, written(given.node), given.value) if given else None
    default = default_while_running(machine, last)
    if default is None:
        where = ON_CPU if is_running(machine) else UNKNOWN
        machine.emit(Shuffle(node, last, where, None, None, generator))
    else:
        device = expression(machine, default)
        machine.emit(Shuffle(node, last, default.device, default.origin, device, generator))


def is_running(machine: Run) -> bool:
    """Whether the program in view gets here by itself: callers out of view may set a default."""
    return not machine.frame.path or isinstance(machine.frame.path[0], ir.Call)


def default_while_running(machine: Run, name: str) -> Value | None:
    """The default device that the program sets; what a `with torch.device(..)` says is over when
    a loader runs, but a split is made at once."""
    default = machine.here().get(DEFAULT)
    if not isinstance(default, Value) or default.kind is not Kind.DEVICE:
        return None
    return default if default.payload in SETTERS or name == "random_split" else None


def expression(machine: Run, default: Value) -> ir.Expression | None:
    """How the program can write the default device here; one that it names under a condition is
    the default on some machines only."""
    node = default.origin.node if default.origin is not None else None
    if default.payload != "device":
        return None
    if isinstance(node, ir.Name) and machine.lookup(node.id) is not None:
        return node
    return node if isinstance(node, ir.Constant) and is_unconditional(machine, node) else None


def is_unconditional(machine: Run, node: ir.Node) -> bool:
    """Whether it stands in a statement that a function that runs, or the module, is sure to
    reach."""
    running = [each for each in machine.running if isinstance(each, ir.Def)]
    return any(
        isinstance(statement, ir.Evaluate) and node in walk(statement)
        for body in (machine.module.body, *(function.body for function in running))
        for statement in body
    )


def shuffles(arguments: Arguments) -> bool:
    given = arguments.get(2, "shuffle")
    return given is not None and given.value.payload is True
