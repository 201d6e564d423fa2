"""Models out of view: where a program moves what it gives to one, that needs it moved elsewhere."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace

from devlint.event import Feed, Operand
from devlint.facts.dimensions import Size
from devlint.facts.effect import Makes
from devlint.facts.table import fact
from devlint.interpret.core import class_summary, module_state
from devlint.interpret.core.batches import is_batch, settled
from devlint.interpret.core.call import Arguments, Call
from devlint.interpret.core.containers import items_of
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.signals import Ended, ModuleFed
from devlint.interpret.modules import module_calls
from devlint.interpret.modules.placed_attributes import placed
from devlint.interpret.tensors import transfers
from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.queries.loop_moves import MOVES
from devlint.queries.name_conventions import is_name, is_self, names_use, written
from devlint.rule.analysis import Analysis, on
from devlint.values.condition import Condition
from devlint.values.device import Device
from devlint.values.origin import Origin
from devlint.values.source import ByParameter, Factory
from devlint.values.tags import ToldDevice
from devlint.values.value import NOTHING, Kind, Value


@dataclass(frozen=True, slots=True, eq=False)
class Giving:
    """A call of a model, which is on the device of `module`, with what it is given by position or
    name; `path` are the calls that led there, `is_held`: the model is an attribute of a class,
    `is_moved`: it is something that the program has moved; `is_believed`: an
    argument of a function that moves something, the same as others of its name; `is_equipped`: a
    test has found an accelerator; `may_be_loss`: it has been moved, and is given several things."""

    node: ir.Call
    module: Operand
    given: dict[Hashable, Operand]
    path: tuple[ir.Node, ...]
    is_held: bool
    is_moved: bool
    is_believed: bool
    is_equipped: bool
    may_be_loss: bool
    call: ir.Node | None


class InconsistentInputs(Analysis[Run]):
    """Says which models are given what was left on the CPU, but was moved for them elsewhere."""

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        #: The calls of models out of view, by the models.
        self.givings: dict[Hashable, list[Giving]] = {}

    @on(ModuleFed)
    def feed(self, signal: ModuleFed) -> None:
        """Note what a model is given that may move its inputs, for all that is known of it."""
        node, model = signal.call.node, signal.module
        if self.run.tolerance or not self.is_model(model, signal.call.arguments):
            return
        key = believed(model, node.func) or model.ref or self.held(node)
        if key is not None:
            self.givings.setdefault(key, []).append(self.giving(signal.call, model))

    def giving(self, call: Call, model: Value) -> Giving:
        node, name = call.node, written(call.node.func)
        device, origin = module_state.module_device(self.run, model)
        state = Value(Kind.MODULE, device, ref=model.ref, origin=origin)
        given = dict(self.slots(call.arguments))
        module, instance = Operand(node.func, name, state), self.run.instance(model.ref)
        return Giving(
            node,
            module,
            given,
            self.run.frame.path,
            is_held=model.ref is None,
            is_moved=is_moved_model(self.run, model),
            is_believed=isinstance(model.ref, ir.Parameter) and moves_something(self.run.running),
            is_equipped=self.run.is_equipped,
            may_be_loss=len(given) > 1 and instance.tag(module_calls.Trained) is None,
            call=self.run.call,
        )

    def is_model(self, callee: Value, arguments: Arguments) -> bool:
        """Whether what is called computes with parameters, and its code is out of view: what has
        been moved does that, and arguments that are given one thing."""
        instance = self.run.instance(callee.ref)
        is_placing = module_state.is_placing(self.run, callee)
        if callee.kind not in (Kind.UNKNOWN, Kind.MODULE) or is_placing:
            return False
        if instance.type is not None and not isinstance(instance.type, module_state.Outer):
            return False
        if instance.tag(module_calls.Trained) is not None:
            return True
        is_sole = len([*arguments, *arguments.mapped]) == 1
        return instance.move is not None or (is_sole and isinstance(callee.ref, ir.Parameter))

    def slots(self, arguments: Arguments) -> Iterator[tuple[Hashable, Operand]]:
        """The arguments by what they are known by: a position, a name, or `**`."""
        named = [*enumerate(arguments.positional), *arguments.keywords.items()]
        for key, argument in [*named, *(("**", each) for each in arguments.mapped)]:
            value = self.whole(settled(self.run, argument.value))
            value = NOTHING if self.is_open(value) else value
            yield key, Operand(argument.node, written(argument.node), value)

    def is_open(self, value: Value) -> bool:
        """Whether an object keeps it, not made on the way to where it is used, and a base out of
        view may have moved it since."""
        owners = filter(None, self.run.owners)
        path = None if value.origin is None else value.origin.path
        if path is None or all(map(class_summary.is_all_in_view, owners)):
            return False
        return self.run.frame.path[: len(path)] != path

    def whole(self, value: Value) -> Value:
        """What holds items that have been set is where they are, if they have all been moved."""
        items = items_of(self.run, value) if value.ref is not None else []
        if not items:
            return value
        return items[0] if all(is_moved(item) for item in items) else NOTHING

    def held(self, node: ir.Call) -> Hashable | None:
        """The key of `self.model`, of which nothing is known but what the class does with it."""
        func, owner = called(node), self.run.frame.owner
        if owner is None or not isinstance(func, ir.Attribute):
            return None
        is_placed = is_self(func.value) and func.name in placed(self.run, owner)
        return (owner.node, func.name) if is_placed else None

    @on(Ended)
    def settle(self, signal: Ended) -> None:
        for givings in self.givings.values():
            for index, giving in enumerate(givings):
                others = givings if is_placed(giving) else before(givings[:index], giving)
                for key, operand in giving.given.items():
                    for event in on_one_path(giving, operand):
                        self.run.emit(event)
                    if is_left(operand.value) or is_array(operand.value):
                        for event in clash(giving, key, operand, steady(others, key)):
                            self.run.emit(event)


def steady(givings: list[Giving], key: Hashable) -> list[Giving]:
    """Those whose call never gives what is left, come to in one way: else tests decide, which may
    tell of the model, too."""
    open_calls = {(each.node, each.path) for each in givings if is_left_by(each, key)}
    return [each for each in givings if (each.node, each.path) not in open_calls]


def is_left_by(giving: Giving, key: Hashable) -> bool:
    return key in giving.given and is_left(giving.given[key].value)


def believed(model: Value, node: ir.Expression) -> Hashable | None:
    """The key of a model that functions of a program are given under one name."""
    if isinstance(model.ref, ir.Parameter) and is_name(node, model.ref.name):
        return ("argument", model.ref.name)
    return None


def moves_something(running: Sequence[ir.Node]) -> bool:
    return any(isinstance(each, ir.Def) and not MOVES.isdisjoint(each.words) for each in running)


def is_moved_model(run: Run, model: Value) -> bool:
    """Whether it has been moved, as modules are, and was told no device for its inputs; of what
    class it is nobody in view says."""
    instance = run.instance(model.ref)
    return instance.move is not None and instance.tag(ToldDevice) is None


def is_left(value: Value) -> bool:
    """Whether the program has or makes something on the CPU, and has not moved it."""
    is_made = value.kind is Kind.TENSOR and isinstance(value.source, (Factory, ByParameter))
    return value.device.is_cpu and (is_made or is_batch(value))


def is_array(value: Value) -> bool:
    """Whether the program has made a tensor of two or more dimensions on the CPU, as no lengths
    have that are to stay there, and has not taken it there."""
    is_made = value.origin is not None and isinstance(value.origin.node, ir.Call)
    is_left_there = value.device.is_cpu and is_made and not transfers.is_taken(value)
    is_tensor = value.kind is Kind.TENSOR and value.dimensions.least > 1
    return is_tensor and is_left_there and not is_batch(value)


def called(node: ir.Call) -> ir.Expression:
    """The model of `model(x)` and `model.forward(x)`."""
    func = node.func
    return func.value if isinstance(func, ir.Attribute) and names_use(func.name) else func


def is_moved(value: Value) -> bool:
    """Whether the program itself has put a value on an accelerator, whatever tests say."""
    origin = value.origin
    is_put = origin is not None and origin.source is None and isinstance(origin.node, ir.Call)
    is_certain = value.device.arms is None or value.device.is_chosen
    return is_put and is_certain and value.device.is_accelerator


def is_placed(giving: Giving) -> bool:
    return giving.is_held or giving.is_believed or giving.module.value.device.is_known


def before(givings: list[Giving], giving: Giving) -> list[Giving]:
    """Of a model that nobody in view has placed: what the same call of a function did before."""
    return [each for each in givings if each.path == giving.path]


def is_fresh(value: Value) -> bool:
    """Whether the program has made a tensor of one or more dimensions on the CPU, by its size:
    what is made of a list may be the lengths that packed sequences take from there."""
    source = value.source
    made_by = fact(source.name) if isinstance(source, Factory) else None
    is_of_size = isinstance(made_by, Makes) and made_by.size is not Size.DATA
    return is_of_size and value.is_scalar is False


def placed_by(giving: Giving, device: Device, origin: Origin) -> Operand:
    """The model of a call, on the device that what it is given shows it to be on."""
    return replace(giving.module, value=Value(Kind.MODULE, device, origin=origin))


def moved_beside(giving: Giving) -> Operand | None:
    """What the same call is given that the program has moved."""
    return next((each for each in giving.given.values() if is_moved(each.value)), None)


def clash(giving: Giving, key: Hashable, operand: Operand, others: list[Giving]) -> Iterator[Feed]:
    """That an input was moved elsewhere, is given beside what was moved, or is all that a model is
    given which was moved itself."""
    is_shown = is_left(operand.value) and not giving.may_be_loss
    for other in others if is_shown else ():
        moved = other.given.get(key)
        if moved is not None and is_moved(moved.value) and is_example(other, giving):
            device = moved.value.device
            origin = Origin(other.node, f"given what is on {device.told} here", other.path)
            precedent = placed_by(other, device, origin)
            module = giving.module if giving.module.value.device.is_known else precedent
            yield Feed(giving.node, module, (operand,), giving.call, precedent)
            return
    is_new = is_array(operand.value) or (is_fresh(operand.value) and not giving.may_be_loss)
    if is_new and (moved := moved_beside(giving)) is not None:
        device = moved.value.device
        origin = Origin(moved.node, f"given together with what is on {device.told}", giving.path)
        precedent = placed_by(giving, device, origin)
        yield Feed(giving.node, precedent, (operand,), giving.call, precedent, presumed=True)
    elif is_shown and is_sole(giving, key):
        yield Feed(giving.node, giving.module, (operand,), giving.call, presumed=True)


def on_one_path(giving: Giving, operand: Operand) -> Iterator[Feed]:
    """That an input is moved in some rounds of a loop, or without an option, and is left on the CPU
    otherwise."""
    test = operand.value.device.test
    if test is None or not (test.is_option or is_of_round(test, giving.node)):
        return
    for truth in (True, False):
        left, moved = operand.given(test, truth), operand.given(test, not truth)
        if is_left(left.value) and is_moved(moved.value):
            device, known = moved.value.device, giving.module.value.device.is_known
            origin = Origin(giving.node, f"given what is on {device.told} otherwise")
            module = giving.module if known else placed_by(giving, device, origin)
            yield Feed(giving.node, module, (left,), giving.call, moved)


def is_of_round(test: Condition, node: ir.Node) -> bool:
    return test.loop is not None and node in walk(test.loop)


def is_example(other: Giving, giving: Giving) -> bool:
    """Whether a call shows how another one is to be made: not what the same one is given in another
    round of a loop, nor one that is only made where there is an accelerator, of what is called
    anyway."""
    is_same = other.node is giving.node and other.path == giving.path
    is_extra = other.is_equipped and not giving.is_equipped
    return not is_same and not (is_extra and not giving.module.value.device.is_known)


def is_sole(giving: Giving, key: Hashable) -> bool:
    """Whether it is all that a model is given which was moved itself, or the first of several that
    are on the CPU."""
    if not giving.is_moved or not giving.module.value.device.may_accelerate:
        return False
    return next(iter(giving.given)) == key and all(
        is_left(each.value) for each in giving.given.values()
    )
