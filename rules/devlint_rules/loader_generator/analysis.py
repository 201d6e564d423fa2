"""Loaders, samplers and splits that draw random numbers on the default device."""

from __future__ import annotations

from devlint.api import (
    DEFAULT,
    ON_CPU,
    UNKNOWN,
    Analysis,
    Applying,
    Argument,
    Arguments,
    Call,
    Fix,
    Kind,
    LoaderMade,
    Problem,
    Run,
    Value,
    effect,
    imported,
    ir,
    on,
    spelled,
    walk,
    with_keyword,
)

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
#: It shuffles with a generator of the CPU, and takes no other.
SHUFFLER = "DistributedSampler"
#: Those that take a generator of the CPU where they are given none.
OWNERS = frozenset({"RandomSampler", "random_split"})


class ShuffleGenerators(Analysis[Run]):
    """Reports draws on the default device from a generator that is elsewhere."""

    @on(Applying)
    def apply(self, signal: Applying) -> None:
        if isinstance(signal.fact, effect.Opaque):
            self.draw(signal.call)

    @on(LoaderMade)
    def make(self, signal: LoaderMade) -> None:
        self.draw(signal.call)

    def draw(self, call: Call) -> None:
        name, arguments = call.name.rpartition(".")[2], call.arguments
        if name == SHUFFLER and not is_false(arguments.get(3, "shuffle")):
            self.draw_from_own(call, name)
        if name not in GENERATORS or arguments.is_open:
            return
        given = arguments.get(GENERATORS[name], "generator")
        if given is not None and not given.value.is_none:
            self.draw_from(call, name, given)
        elif name in OWNERS or (name == "DataLoader" and shuffles(arguments)):
            self.draw_from_own(call, name)

    def draw_from(self, call: Call, name: str, given: Argument) -> None:
        """A generator that is given has to be on the default device."""
        default, generator = self.default_while_running(name), given.value
        unset = ON_CPU if self.is_running() else UNKNOWN
        where = unset if default is None else default.device
        if not generator.device.excludes(where):
            return
        told = generator.device.told
        first = generator.origin
        related = [] if first is None else [(first.node, f"the generator is on {told}")]
        message = problem(name, where.told, told)
        self.run.report(self, Problem(call.node, message, (*related, *setter(default))))

    def draw_from_own(self, call: Call, name: str) -> None:
        """Without one, it takes a generator on the CPU."""
        default = self.default_while_running(name)
        if default is None or not default.device.is_accelerator:
            return
        message = problem(name, default.device.told, "the CPU")
        device = None if name == SHUFFLER else self.expression(default)
        fix = generator_given(call.node, device)
        self.run.report(self, Problem(call.node, message, setter(default), fix=fix))

    def is_running(self) -> bool:
        """Whether the program in view gets here by itself: callers out of view may set a
        default."""
        path = self.run.frame.path
        return not path or isinstance(path[0], ir.Call)

    def default_while_running(self, name: str) -> Value | None:
        """The default device that the program sets; what a `with torch.device(..)` says is over
        when a loader runs, but a split is made at once."""
        default = self.run.here().get(DEFAULT)
        if not isinstance(default, Value) or default.kind is not Kind.DEVICE:
            return None
        return default if default.payload in SETTERS or name == "random_split" else None

    def expression(self, default: Value) -> ir.Expression | None:
        """How the program can write the default device here; one that it names under a condition
        is the default on some machines only."""
        node = default.origin.node if default.origin is not None else None
        if default.payload != "device":
            return None
        if isinstance(node, ir.Name) and self.run.lookup(node.id) is not None:
            return node
        return node if isinstance(node, ir.Constant) and self.is_unconditional(node) else None

    def is_unconditional(self, node: ir.Node) -> bool:
        """Whether it stands in a statement that a function that runs, or the module, is sure to
        reach."""
        running = [each for each in self.run.running if isinstance(each, ir.Def)]
        return any(
            isinstance(statement, ir.Evaluate) and node in walk(statement)
            for body in (self.run.module.body, *(function.body for function in running))
            for statement in body
        )


def is_false(given: Argument | None) -> bool:
    return given is not None and given.value.payload is False


def shuffles(arguments: Arguments) -> bool:
    given = arguments.get(2, "shuffle")
    return given is not None and given.value.payload is True


def problem(name: str, default: str, generator: str) -> str:
    return (
        f"`{name}` draws on the default device, {default}, from a generator on {generator}: the "
        "first draw raises"
    )


def setter(default: Value | None) -> tuple[tuple[ir.Node, str], ...]:
    """Where the program set the default."""
    origin = None if default is None else default.origin
    return () if origin is None else ((origin.node, origin.text),)


def generator_given(node: ir.Call, default: ir.Expression | None) -> Fix | None:
    device = spelled(default)
    if device is None:
        return None
    text = f"torch.Generator(device={device})"
    message = f"give it a generator on the default device: `{text}`"
    changes = with_keyword(node, "generator", text), imported(node, "torch")
    return Fix(message, changes, "unsafe", "the data come in another order")
