"""What PyTorch's functions do, looked up by name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from devlint.facts import (
    arrays,
    callers,
    communication,
    devices,
    exports,
    factories,
    functional,
    indexing,
    inert,
    layers,
    linear_algebra,
    losses,
    moves,
    pointwise,
    reductions,
    sampling,
    shapes,
    storage,
    training,
)
from devlint.facts.dimensions import Rank
from devlint.facts.effect import Agrees, Fact, Follows, Pointwise
from devlint.facts.signature import Mark

_TENSOR = "torch.Tensor."

# Where a class lives is not where it is named: `torch.nn.modules.linear.Linear`.
_HOMES = (
    ("torch._tensor.", "torch."),
    ("torch.nn.modules.", "torch.nn."),
    ("torch.nn.parameter.", "torch.nn."),
    ("torch.nn.utils.clip_grad.", "torch.nn.utils."),
    ("torch.nn.utils.convert_parameters.", "torch.nn.utils."),
    ("torch.nn.parallel.", "torch.nn."),
    ("torch.nn.parallel.distributed.", "torch.nn.parallel."),
    ("torch.utils.data.", "torch.utils.data."),
    ("torch.utils.data.distributed.", "torch.utils.data.distributed."),
    ("torch.optim.", "torch.optim."),
    ("torch.functional.", "torch."),
    ("torch.random.", "torch."),
    ("torch.serialization.", "torch."),
    ("torch.autograd.grad_mode.", "torch."),
    ("torch.autograd.variable.", "torch.autograd."),
    ("torch.amp.", "torch.amp."),
    ("torch.cuda.", "torch.cuda."),
)

OPERATORS: dict[str, Fact] = {
    **dict.fromkeys(
        ["+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<<", ">>"], Pointwise("left right")
    ),
    **dict.fromkeys(["==", "!=", "<", "<=", ">", ">="], Pointwise("left right")),
    "@": Agrees("left right", Rank.PRODUCT),
}
#: What one operand is negated or inverted by.
UNARY = Pointwise("operand")


# What stands before the names of a table.
_TABLES: tuple[tuple[str, dict[str, Fact]], ...] = (
    ("", arrays.FUNCTIONS),
    ("", callers.FUNCTIONS),
    ("", communication.FUNCTIONS),
    ("", devices.FUNCTIONS),
    ("", exports.FUNCTIONS),
    ("", factories.FUNCTIONS),
    ("", functional.FUNCTIONS),
    ("", indexing.FUNCTIONS),
    ("", inert.FUNCTIONS),
    ("", layers.FUNCTIONS),
    ("", linear_algebra.FUNCTIONS),
    ("", pointwise.FUNCTIONS),
    ("", reductions.FUNCTIONS),
    ("", sampling.FUNCTIONS),
    ("", shapes.FUNCTIONS),
    ("", storage.FUNCTIONS),
    ("", training.FUNCTIONS),
    ("torch.nn.", layers.LAYERS),
    ("torch.nn.", losses.LAYERS),
    ("torch.nn.functional.", functional.FUNCTIONAL),
    ("torch.nn.functional.", losses.FUNCTIONAL),
    ("torch.nn.init.", sampling.INIT),
    (_TENSOR, factories.METHODS),
    (_TENSOR, indexing.METHODS),
    (_TENSOR, moves.METHODS),
    (_TENSOR, reductions.METHODS),
    (_TENSOR, sampling.METHODS),
    (_TENSOR, shapes.METHODS),
)

# Functions of `torch` that are methods of `Tensor` too.
_SHARED: tuple[dict[str, Fact], ...] = (
    indexing.BOTH,
    linear_algebra.BOTH,
    pointwise.BOTH,
    reductions.BOTH,
    sampling.BOTH,
    shapes.BOTH,
)


def named_facts() -> Iterator[tuple[str, Fact]]:
    """Each fact of the table under its canonical name; a test holds the names unique."""
    for prefix, facts in _TABLES:
        yield from ((prefix + name, fact) for name, fact in facts.items())
    for facts in _SHARED:
        for name, fact in facts.items():
            yield f"torch.{name}", fact
            yield _TENSOR + name, _as_method(fact)


def _as_method(fact: Fact) -> Fact:
    """The same for the method, whose receiver takes the place of `input`."""
    others = " ".join(word for word in fact.signature.split() if word != "input")
    return replace(fact, signature=f"self {others}".rstrip())


FACTS: dict[str, Fact] = dict(named_facts())


@cache
def fact(name: str) -> Fact | None:
    """The fact of a dotted name (`torch.add`, `torch.nn.Linear`, `torch.Tensor.add_`)."""
    return FACTS.get(name) or _in_place(name) or _at_home(name)


def method_fact(name: str) -> Fact | None:
    """The fact of a method of `Tensor`; its signature starts with `self`."""
    return fact(_TENSOR + name)


def _in_place(name: str) -> Fact | None:
    """`add_` is `add`, with its receiver for result."""
    plain = FACTS.get(name[:-1]) if name.endswith("_") else None
    if isinstance(plain, (Agrees, Follows, Pointwise)):
        return replace(plain, in_place=True)
    return None


def _at_home(name: str) -> Fact | None:
    last = name.rpartition(".")[2]
    for module, public in _HOMES:
        if name.startswith(module) and public + last in FACTS:
            return FACTS[public + last]
    return None


@cache
def bound_to_cpu() -> frozenset[str]:
    """The last words of the functions that take an argument from the CPU only."""
    marked = (name for name, each in FACTS.items() if Mark.STAYS_ON_CPU.value in each.signature)
    return frozenset(name.rpartition(".")[2] for name in marked)
