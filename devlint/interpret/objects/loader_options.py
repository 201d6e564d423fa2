"""What a new loader is told."""

from __future__ import annotations

from dataclasses import dataclass

from devlint.interpret.conditions import branch_conditions
from devlint.interpret.core.arguments import default_of
from devlint.interpret.core.call import Argument, Arguments
from devlint.interpret.core.interpreter import Run
from devlint.lower import ir
from devlint.queries.dotted_names import last_word
from devlint.values.condition import Sense
from devlint.values.value import Kind

#: Parameters of a loader by position, in PyTorch 2.13.
POSITIONS = {"sampler": 3, "batch_sampler": 4, "num_workers": 5, "collate_fn": 6, "pin_memory": 7}
POSITIONS |= {"worker_init_fn": 10}


@dataclass(frozen=True, slots=True)
class LoaderOptions:
    """`workers` says how many processes read the data, where that is known; `setting` names the
    option of the program that does.

    `pins_memory`: it copies what it gives to pinned memory wherever there is an accelerator.
    """

    workers: object
    setting: str | None
    pins_memory: bool


def read(run: Run, arguments: Arguments) -> LoaderOptions:
    """The options among the arguments that make a loader."""
    workers, setting = workers_of(given(arguments, "num_workers"))
    return LoaderOptions(workers, setting, is_true(run, given(arguments, "pin_memory")))


def given(arguments: Arguments, name: str) -> Argument | None:
    return arguments.get(POSITIONS[name], name)


def workers_of(given: Argument | None) -> tuple[object, str | None]:
    """The number of workers, or the option that sets it."""
    if given is None:
        return None, None
    if given.value.kind is Kind.CONSTANT:
        return given.value.payload, None
    if isinstance(given.node, ir.Call) and last_word(given.node.func) == "cpu_count":
        return 1, None
    if isinstance(given.node, ir.Attribute):
        return None, given.node.name
    return default_of(given.value), None


def is_true(run: Run, given: Argument | None) -> bool:
    """Whether a flag is set wherever there is an accelerator."""
    if given is None:
        return False
    if given.value.kind is Kind.CONSTANT:
        return given.value.payload is True
    flag = branch_conditions.condition(run, given.node)
    return (flag.sense(True), flag.sense(False)) == (Sense.NOTHING, Sense.CPU)
