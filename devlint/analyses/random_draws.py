"""Random draws, and from which generators they come."""

from __future__ import annotations

from devlint.event import Operand, Sample
from devlint.interpret.core.call import Argument, Arguments
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.signals import Combined, Drawn, Followed
from devlint.lower import ir
from devlint.queries.name_conventions import is_name, written
from devlint.rule.analysis import Analysis, on
from devlint.values.value import Kind, Value


class RandomDraws(Analysis[Run]):
    """Emits a `Sample` for each draw from a generator, and tags with it what was drawn, and what
    is made of that where it is."""

    @on(Drawn)
    def draw(self, signal: Drawn) -> Value | None:
        """The generator of a draw has to be where the result is."""
        call, value, frame = signal.call, signal.value, self.run.frame
        given = generator_of(call.arguments)
        if given is None:
            return None
        owner = None if self.is_handed_in(given) else frame.layer
        layer = None if owner is None else owner.node.name
        generator = Operand(given.node, written(given.node), given.value)
        sample = Sample(
            call.node, call.name, generator, value.device, value.origin, layer, frame.path
        )
        self.run.emit(sample)
        return value.tagged(sample)

    def is_handed_in(self, generator: Argument) -> bool:
        """Whether each call of a layer gives a generator, rather than the layer having it."""
        running = zip(self.run.running, self.run.owners, strict=True)
        methods = [each for each, owner in running if owner is not None and owner.is_module]
        last = methods[-1] if methods else None
        if not isinstance(last, ir.Def) or last.name == "__init__":
            return False
        return any(is_name(generator.node, each.name) for each in last.params)

    @on(Followed)
    def follow(self, signal: Followed) -> Value | None:
        sample = signal.before.tag(Sample)
        return None if sample is None else signal.value.tagged(sample)

    @on(Combined)
    def combine(self, signal: Combined) -> Value | None:
        """The result is with the first of the draws that meet, or with none of them."""
        samples = (each.value.tag(Sample) for each in signal.operands)
        first = next((each for each in samples if each is not None), None)
        if first is None or signal.host is None or signal.host.value.tag(Sample) is not first:
            return None
        return signal.value.tagged(first)


def generator_of(arguments: Arguments) -> Argument | None:
    given = arguments.keywords.get("generator")
    if given is None:
        generators = (a for a in arguments.positional if a.value.kind is Kind.GENERATOR)
        return next(generators, None)
    return given if given.value.kind is Kind.GENERATOR else None
