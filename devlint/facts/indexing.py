"""Functions that read or write elements by index or mask."""

from __future__ import annotations

from dataclasses import dataclass

from devlint.facts.dimensions import Rank
from devlint.facts.effect import Agrees, Fact, Follows, Pointwise


@dataclass(frozen=True, slots=True)
class Selects(Pointwise):
    """`Pointwise`; of a condition alone, the indices where it holds, a tensor for each dimension
    (`torch.where`)."""


@dataclass(frozen=True, slots=True)
class Indexes(Follows):
    """`Follows`; with `as_tuple`, a tensor for each dimension (`nonzero`)."""


FUNCTIONS: dict[str, Fact] = {
    "torch.where": Selects("condition input other"),
}

BOTH: dict[str, Fact] = {
    "gather": Agrees("input -dim index", Rank.SAME),
    "scatter": Agrees("input -dim index +src", Rank.SAME),
    "scatter_add": Agrees("input -dim index src", Rank.SAME),
    "scatter_reduce": Agrees("input -dim index src -reduce", Rank.SAME),
    "index_select": Agrees("input -dim index", Rank.SAME),
    "index_add": Agrees("input -dim index source", Rank.SAME),
    "index_copy": Agrees("input -dim index source", Rank.SAME),
    "index_fill": Agrees("input -dim index ~value", Rank.SAME),
    "index_reduce": Agrees("input -dim index source -reduce", Rank.SAME),
    "index_put": Agrees("input *~indices ?values -accumulate", Rank.SAME),
    "masked_fill": Agrees("input mask ?value", Rank.SAME),
    "masked_scatter": Agrees("input mask source", Rank.SAME),
    "masked_select": Agrees("input mask", Rank.ARRAY),
    "take": Agrees("input index", Rank.UNKNOWN),
    "take_along_dim": Agrees("input indices -dim", Rank.ARRAY),
    "nonzero": Indexes("input -as_tuple", Rank.MATRIX),
    "argwhere": Follows("input", Rank.MATRIX),
    "select": Follows("input -dim -index", Rank.LESS),
}

METHODS: dict[str, Fact] = {
    "where": Pointwise("self condition other"),
    "copy_": Follows("self ~src -non_blocking", Rank.SAME, in_place=True),
    "fill_": Follows("self ~value", Rank.SAME, in_place=True),
    "zero_": Follows("self", Rank.SAME, in_place=True),
    "fill_diagonal_": Follows("self -fill_value -wrap", Rank.ARRAY, in_place=True),
    "put_": Agrees("self index source -accumulate", Rank.SAME, in_place=True),
}
