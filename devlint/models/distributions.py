"""Probability distributions: objects of tensors, which no move takes along."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from devlint.event import Operand
from devlint.facts.dimensions import Rank
from devlint.facts.effect import Fact, Inert
from devlint.interpret.core.call import Argument, Call
from devlint.interpret.core.containers import joined
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.library_model import LibraryModel
from devlint.interpret.tensors import operations
from devlint.queries.name_conventions import written
from devlint.values.dimensions import ARRAY, SCALAR
from devlint.values.instance import Instance
from devlint.values.origin import Origin
from devlint.values.source import Factory
from devlint.values.value import NOTHING, Kind, Value

_ROLE = "torch.distributions.Distribution"

#: Attributes of distributions that are tensors, where their parameters are.
_PARAMETERS = (
    "concentration covariance_matrix df high loc logits low mean mode precision_matrix probs rate "
    "scale scale_tril stddev temperature variance"
).split()


@dataclass(frozen=True, slots=True)
class Distributes(Fact):
    """A distribution, whose parameters are one by one tensors, numbers or other distributions."""


@dataclass(frozen=True, slots=True)
class Samples(Fact):
    """A tensor where the parameters of `self` are, which is 0-dim only if those are."""

    is_shaped: bool = True


@dataclass(frozen=True, slots=True)
class Scores(Fact):
    """A tensor of what meets: values, and the parameters of distributions."""


def made(run: Run, fact: Distributes, call: Call) -> Value:
    node = call.node
    given = list(operands(run, call))
    values = [each.value for each in call.arguments]
    if not given and not (values and all(each.is_number for each in values)):
        return run.make(node, Instance())
    if given:
        state = operations.combined(run, node, call.name, given, Rank.SAME)
    else:
        device, origin = run.default_device(node)
        source = Factory(node, call.name, takes_device=False)
        state = Value(Kind.TENSOR, device, SCALAR, origin=replace(origin, source=source))
    state = replace(state, kind=Kind.TENSOR)
    attributes = dict.fromkeys(_PARAMETERS, state)
    held = run.make(node, Instance(attributes=attributes), Kind.OBJECT)
    return replace(state, kind=Kind.OBJECT, ref=held.ref, payload=_ROLE)


def operands(run: Run, call: Call) -> Iterator[Operand]:
    """What meets in a call: tensors, and distributions as tensors where their parameters are."""
    for argument in call.arguments:
        value = as_tensor(run, argument)
        if operations.is_tensor(value):
            node = argument.node
            yield Operand(node, written(node), value, value.is_scalar is not False)


def shown(value: Value) -> Value:
    return replace(value, kind=Kind.TENSOR) if value.kind is Kind.UNKNOWN else value


def as_tensor(run: Run, argument: Argument) -> Value:
    """A distribution as a tensor where its parameters are, or those that were set anew since."""
    value = argument.value
    if value.payload != _ROLE:
        return value
    held = run.instance(value.ref).attributes
    parameters = (held[name] for name in _PARAMETERS if name in held)
    anew = [each for each in parameters if each.device != value.device]
    return replace(joined(anew) if anew else value, kind=Kind.TENSOR)


def sampled(run: Run, fact: Samples, call: Call) -> Value:
    """What is drawn, or computed of the parameters alone."""
    whole, *shape = call.arguments
    state = as_tensor(run, whole)
    is_shaped = fact.is_shaped and bool(shape)
    return Value(
        Kind.TENSOR,
        state.device,
        ARRAY if is_shaped else state.dimensions,
        origin=state.origin or Origin(call.node, "drawn here"),
    )


def scored(run: Run, fact: Scores, call: Call) -> Value:
    """What meets is no number: distributions take tensors for values, and only one another."""
    met = [replace(each, value=shown(each.value)) for each in operands(run, call)]
    return operations.combined(run, call.node, call.name, met, Rank.SAME) if met else NOTHING


_METHODS: dict[str, Fact] = {
    **dict.fromkeys(("sample", "rsample", "sample_n"), Samples("self")),
    **dict.fromkeys(("entropy", "perplexity"), Samples("self", is_shaped=False)),
    **dict.fromkeys(("log_prob", "cdf", "icdf"), Scores("self")),
}

_PATTERNS: tuple[tuple[str, Fact], ...] = (
    (r"torch\.distributions\.(\w+\.)?kl_divergence", Scores("")),
    (r"torch\.distributions\.(constraints|transforms)\..*", Inert("")),
    (r"torch\.distributions\.(\w+\.)?(?!Distribution\b)[A-Z]\w*", Distributes("")),
)

MODEL = LibraryModel[Run](
    packages=frozenset({"torch"}),
    patterns=_PATTERNS,
    methods={_ROLE: _METHODS},
    handlers={Distributes: made, Samples: sampled, Scores: scored},
    words=frozenset({"Laplace", "MultivariateNormal", "Normal"}),
)
