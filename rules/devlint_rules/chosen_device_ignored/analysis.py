"""Choices of a device, by the program or by its callers, and what is put elsewhere."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from enum import Enum
from typing import NamedTuple

from devlint.api import (
    ON_CUDA,
    Analysis,
    Applying,
    Argument,
    Branched,
    Condition,
    Defaulted,
    Ended,
    Kind,
    Like,
    On,
    Presumption,
    Problem,
    Run,
    Sense,
    Transferring,
    Value,
    as_device,
    class_summary,
    effect,
    evident_names,
    ir,
    is_certain_argument,
    is_name,
    is_self,
    key_of,
    names_device,
    on,
    path,
    walk,
    written,
)
from devlint_rules.chosen_device_ignored.callers import told_device
from devlint_rules.chosen_device_ignored.round_trips import (
    fetches,
    is_given,
    is_indexed,
    names_no_index,
)
from devlint_rules.chosen_device_ignored.ways import is_used_along

#: What asks whether there is an accelerator at all.
AVAILABLE = frozenset({"is_available", "device_count"})
#: Methods that are there to put an object on a device.
PLACERS = frozenset({"__init__", "to", "cuda", "cpu", "_apply"})


class Neglect(Enum):
    """How a choice comes to be ignored: what is wrong, and what the place of the choice is."""

    ARGUMENT = (
        "`{operation}` uses `{used}`, but the method is given `{chosen}` and puts other tensors "
        "there: they meet as soon as a caller asks for another device",
        "the device that the caller chooses",
    )
    FALLBACK = (
        "`{operation}` uses `{used}`, which may not be there: the program falls back to the CPU in "
        "`{chosen}`",
        "here the program makes sure that the device is available",
    )
    DEFAULT = (
        "`{operation}` is not told a device and takes its default, {used}, wherever `{chosen}` is",
        "the default",
    )
    UNTOLD = (
        "`{operation}` takes its default, {used}: it is not told `{chosen}`, where the caller is "
        "asked to put things",
        "the default",
    )
    ROUND_TRIP = (
        "`{used}` goes to the current accelerator, which need not be the one that `{chosen}` came "
        "from: the index is lost on the way over the CPU",
        "it leaves its device here",
    )
    CACHED = (
        "`{operation}` moves the module back to `{used}`, which it keeps since it was made: where "
        "its user has moved it is forgotten",
        "the device is kept here",
    )

    def problem(self, node: ir.Call, used: str, chosen: str, because: ir.Node) -> Problem:
        """Something is put on the device `used`, while `chosen` says where it has to be."""
        message, place = self.value
        text = message.format(operation=written(node.func), used=used, chosen=chosen)
        return Problem(node, text, ((because, place),), presumes=PRESUMED.get(self, ()))


PRESUMED = {
    Neglect.CACHED: (Presumption.MOVED_AGAIN,),
    Neglect.UNTOLD: (Presumption.ANOTHER_DEVICE,),
    Neglect.ROUND_TRIP: (Presumption.SECOND_ACCELERATOR,),
}


class Fallback(NamedTuple):
    """`device if torch.cuda.is_available() else "cpu"`, with the device as it is written."""

    node: ir.Conditional
    test: Condition
    device: str


class DeviceChoices(Analysis[Run]):
    """Reports what is put on another device than the one that was chosen for it."""

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        #: Devices for which the program takes the CPU if it has to.
        self.fallbacks: dict[Hashable, Fallback] = {}
        #: Of calls that leave the accelerator to a default.
        self.defaulted: list[Problem] = []

    @on(Branched)
    def branch(self, signal: Branched) -> None:
        """A conditional takes the CPU for a device that is not available."""
        node, test, (then, orelse) = signal.node, signal.test, signal.values
        words = {each.name for each in walk(node.test) if isinstance(each, ir.Attribute)}
        if AVAILABLE.isdisjoint(words):
            return
        for arm, value, other, truth in (
            (node.then, then, orelse, False),
            (node.orelse, orelse, then, True),
        ):
            device = as_device(other)
            if not isinstance(arm, (ir.Name, ir.Attribute)) or value.kind is Kind.CONSTANT:
                continue
            if device is not None and device.is_cpu and test.sense(truth) is Sense.CPU:
                self.fallbacks[key_of(self.run, arm)] = Fallback(node, test, written(arm))

    @on(Applying)
    def create(self, signal: Applying) -> None:
        if isinstance(signal.fact, effect.Makes):
            self.request(signal.call.node, signal.call.arguments.keywords.get("device"))

    @on(Transferring)
    def transfer(self, signal: Transferring) -> None:
        if signal.fact.how not in ("to", "cuda"):
            return
        node, arguments = signal.call.node, signal.call.arguments
        self.request(node, arguments.get(0, "device"))
        is_current = signal.device == ON_CUDA and names_no_index(arguments)
        if is_current and not signal.value.device.is_accelerator:
            self.put_back(node, signal.value)

    @on(Defaulted)
    def default(self, signal: Defaulted) -> None:
        """A call in view leaves it to a default which accelerator to use."""
        is_text = signal.value.kind is Kind.CONSTANT and isinstance(signal.value.payload, str)
        if not is_text or not names_device(signal.parameter.name):
            return
        device, node = as_device(signal.value), signal.node
        if device is None or not device.is_accelerator or not isinstance(node, ir.Call):
            return
        used = next(str(atom) for atom in device.atoms if isinstance(atom, On))
        if (told := told_device(self.run, node)) is not None:
            self.run.report(self, Neglect.UNTOLD.problem(node, used, told, signal.parameter))
        elif (foreign := next(self.foreign(signal), None)) is not None:
            chosen = written(foreign.node)
            problem = Neglect.DEFAULT.problem(node, used, chosen, signal.parameter)
            self.defaulted.append(problem)

    def foreign(self, signal: Defaulted) -> Iterator[Argument]:
        """The tensors of a call of which only callers out of view know where they are."""
        params = [each for each in signal.function.params if each.name != "self"]
        named = dict(zip(params, signal.arguments.positional, strict=False))
        named |= {p: a for p in params if (a := signal.arguments.keywords.get(p.name)) is not None}
        evident = evident_names(self.run, signal.function)
        for parameter, argument in named.items():
            is_like = any(isinstance(atom, Like) for atom in argument.value.device.atoms)
            if is_like and (parameter.name in evident or is_certain_argument(self.run, argument)):
                yield argument

    @on(Ended)
    def end(self, signal: Ended) -> None:
        """Let defaults be known of a program that names an accelerator nowhere else."""
        if not self.run.notes.names_accelerator:
            for problem in self.defaulted:
                self.run.report(self, problem)

    def request(self, node: ir.Call, argument: Argument | None) -> None:
        """Something is put on the device that an argument names."""
        if argument is None or argument.node.__class__ not in (ir.Attribute, ir.Name):
            return
        if self.fallbacks:
            self.bypass(node, argument)
        if isinstance(argument.node, ir.Attribute) and is_self(argument.node.value):
            if isinstance(node.func, ir.Attribute) and is_self(node.func.value):
                self.undo(node, argument.node, argument.value)
            elif path(node.func)[:1] != ["self"]:
                self.disregard(node, argument.node)

    def bypass(self, node: ir.Call, argument: Argument) -> None:
        """The device of which the program has made sure is not the one that is used."""
        fallback = self.fallbacks.get(key_of(self.run, argument.node))
        if fallback is None or self.is_assumed(fallback.test):
            return
        used, made_sure = written(argument.node), [*targets(self.run.module, fallback.node)]
        # What replaces the device itself is what there is of it from then on, by whatever name.
        if made_sure and {used, fallback.device}.isdisjoint(made_sure):
            self.run.report(self, Neglect.FALLBACK.problem(node, used, made_sure[0], fallback.node))

    def is_assumed(self, test: Hashable) -> bool:
        """Whether the way here leads through a branch of the test."""
        state = self.run.state
        while state is not None:
            if state.assumed is not None and state.assumed[0] == test:
                return True
            state = state.parent
        return False

    @property
    def method(self) -> ir.Def | None:
        """The function that is running, but for lambdas."""
        running = self.run.function
        return running if isinstance(running, ir.Def) else None

    def disregard(self, node: ir.Call, used: ir.Attribute) -> None:
        """A method takes a device, puts some of its tensors there and others on its object's."""
        method = self.method
        if method is None or method.name in PLACERS or not names_device(used.name):
            return
        parameter = next((p for p in method.params if p.name == used.name), None)
        if parameter is None or used.name in method.stores:
            return
        if is_followed(method, parameter.name) and is_used_along(method, parameter.name, node):
            problem = Neglect.ARGUMENT.problem(node, written(used), parameter.name, parameter)
            self.run.report(self, problem)

    def undo(self, node: ir.Call, used: ir.Attribute, value: Value) -> None:
        """A module moves itself to the device that it has kept since it was made."""
        method, owner = self.method, self.run.frame.owner
        if owner is None or not owner.is_module or method is None:
            return
        if method.name in PLACERS or value.kind is not Kind.DEVICE:
            return
        moves_itself = any(owner.method(name) for name in ("to", "_apply", used.name))
        kept = None if moves_itself else class_summary.assignment_in_init(owner, used.name)
        if kept is not None:
            self.run.report(self, Neglect.CACHED.problem(node, written(used), "the module", kept))

    def put_back(self, node: ir.Call, value: Value) -> None:
        """What comes from an argument, or from an accelerator with an index, by way of the CPU
        goes to the current accelerator."""
        if not isinstance(node.func, ir.Attribute):
            return
        for call in fetches(node.func.value, value):
            root = path(call.func)[0]
            found = self.run.lookup(root)
            if found is not None and (is_given(found) or is_indexed(found)):
                self.run.report(self, Neglect.ROUND_TRIP.problem(node, written(node), root, call))
                return


def targets(module: ir.Module, value: ir.Expression) -> Iterator[str]:
    """The names that an expression, or what is made of it, is assigned to."""
    for each in walk(module):
        if isinstance(each, ir.Assign) and value in walk(each.value):
            yield from (written(target) for target in each.targets)


def is_followed(method: ir.Def, name: str) -> bool:
    """Whether a parameter is handed on as it came, and never doubted."""
    is_handed_on = False
    for each in walk(method):
        if isinstance(each, ir.Call):
            handed = [*each.args, *(value for _, value in each.keywords)]
            is_handed_on |= any(is_name(value, name) for value in handed)
        elif isinstance(each, (ir.Compare, ir.Logic, ir.If, ir.Conditional)):
            if any(is_name(part, name) for part in tested(each)):
                return False
        elif isinstance(each, ir.Assign) and any(is_name(t, name) for t in each.targets):
            return False
    return is_handed_on


def tested(node: ir.Compare | ir.Logic | ir.If | ir.Conditional) -> tuple[ir.Expression, ...]:
    if isinstance(node, ir.Compare):
        return (node.left, *node.comparators)
    return node.values if isinstance(node, ir.Logic) else (node.test,)
