"""The table of facts by itself: signatures, names, aliases and in-place methods."""

from __future__ import annotations

from collections import Counter

import pytest

from devlint.facts.dimensions import Rank, Size
from devlint.facts.effect import Agrees, Fact, Follows, Layer, Makes, Pointwise
from devlint.facts.signature import Mark, Parameter, signature
from devlint.facts.table import FACTS, OPERATORS, fact, method_fact, named_facts
from devlint.interpret.calls import dispatch
from devlint.interpret.objects import builtins


def test_every_signature_is_read() -> None:
    for name, known in [*FACTS.items(), *OPERATORS.items()]:
        parameters = signature(known.signature).parameters
        names = [parameter.name for parameter in parameters]
        assert len(set(names)) == len(names), name


def test_methods_start_with_their_receiver() -> None:
    methods = [known for name, known in FACTS.items() if name.startswith("torch.Tensor.")]
    assert {signature(known.signature).parameters[0].name for known in methods} == {"self"}


def test_names_are_unique() -> None:
    counts = Counter(name for name, _ in named_facts())
    assert [name for name, count in counts.items() if count > 1] == []


def test_table_is_large() -> None:
    assert len([name for name in FACTS if name.startswith("torch.")]) > 1000


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("torch.nn.modules.linear.Linear", "torch.nn.Linear"),
        ("torch.nn.parameter.Parameter", "torch.nn.Parameter"),
        ("torch.nn.parallel.DataParallel", "torch.nn.DataParallel"),
        (
            "torch.nn.parallel.distributed.DistributedDataParallel",
            "torch.nn.parallel.DistributedDataParallel",
        ),
        ("torch.utils.data.dataloader.DataLoader", "torch.utils.data.DataLoader"),
        ("torch.optim.adam.Adam", "torch.optim.Adam"),
        ("torch.serialization.load", "torch.load"),
        ("torch.random.manual_seed", "torch.manual_seed"),
    ],
)
def test_aliases(alias: str, name: str) -> None:
    assert fact(alias) is not None
    assert fact(alias) == fact(name)


@pytest.mark.parametrize(
    "name", ["torch.nonesuch", "numpy.nonesuch", "nn.Linear", "builtins.map", "_"]
)
def test_what_the_table_omits_is_unknown(name: str) -> None:
    assert fact(name) is None


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("torch.Tensor.add_", Pointwise("self other -alpha", Rank.SAME, in_place=True)),
        ("torch.Tensor.unsqueeze_", Follows("self -dim", Rank.MORE, in_place=True)),
        ("torch.relu_", Pointwise("input", Rank.SAME, in_place=True)),
        ("torch.Tensor.copy_", Follows("self ~src -non_blocking", Rank.SAME, in_place=True)),
    ],
)
def test_in_place(name: str, expected: Fact) -> None:
    assert fact(name) == expected


@pytest.mark.parametrize("name", ["chunk_", "item_", "new_zeros_", "to_", "__add__"])
def test_only_operations_have_in_place_methods(name: str) -> None:
    assert method_fact(name) is None


def test_legacy_constructors() -> None:
    plain = Makes("*-data", Size.ARRAY, honours_default=False)
    assert fact("torch.FloatTensor") == plain
    accelerated = Makes("*-data", Size.ARRAY, honours_default=False, device="cuda")
    assert fact("torch.cuda.FloatTensor") == accelerated


def test_losses_are_layers_without_state() -> None:
    loss = fact("torch.nn.CrossEntropyLoss")
    assert isinstance(loss, Layer)
    assert loss.is_loss
    assert not loss.holds_state


def test_operators() -> None:
    assert OPERATORS["+"] == Pointwise("left right")
    assert OPERATORS["@"] == Agrees("left right", Rank.PRODUCT)


def test_binding() -> None:
    tensors = Parameter("tensors", Mark.OPERAND, is_sequence=True)
    dim = Parameter("dim", Mark.SETTING, is_sequence=False)
    stack = signature("*tensors -dim")
    assert stack.bind(2, []) == [tensors, dim]
    assert stack.bind(1, ["dim", "out"]) == [tensors, dim, None]
    assert stack.positional(2) is None
    assert signature("*tensors").bind(3, []) == [tensors] * 3
    assert signature("").bind(1, ["x"]) == [None, None]


@pytest.mark.parametrize(
    ("word", "mark"),
    [
        ("x", Mark.OPERAND),
        ("-x", Mark.SETTING),
        ("?x", Mark.SCALAR_EXEMPT),
        ("+x", Mark.NUMBER),
        ("=x", Mark.STAYS_ON_CPU),
        ("~x", Mark.FREE),
    ],
)
def test_marks(word: str, mark: Mark) -> None:
    assert signature(word).parameters == (Parameter("x", mark, is_sequence=False),)
    assert signature(f"*{word}").parameters == (Parameter("x", mark, is_sequence=True),)


def test_a_signature_that_cannot_be_read_is_an_error() -> None:
    with pytest.raises(ValueError, match="not a parameter"):
        signature("x !y")


def test_what_the_engine_calls_itself_is_no_fact() -> None:
    """A fact is asked first, so that another answer under its name is never given."""
    special = set(dispatch.SPECIAL) - set(builtins.FUNCTIONS)
    assert {name for name in special if fact(name) is not None} == set()
