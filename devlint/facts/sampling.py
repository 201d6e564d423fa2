"""Functions and methods that draw random numbers."""

from __future__ import annotations

from functools import partial

from devlint.facts.dimensions import Rank, Size
from devlint.facts.effect import Fact, Follows, Inert, Makes, MakesLike

_draws = partial(Follows, rank=Rank.SAME, samples=True, in_place=True)

FUNCTIONS: dict[str, Fact] = {
    "torch.rand": Makes("*-size", Size.SIZE, samples=True),
    "torch.randn": Makes("*-size", Size.SIZE, samples=True),
    "torch.randint": Makes("-low -high -size", Size.LAST, samples=True),
    "torch.randperm": Makes("-n", Size.ARRAY, samples=True),
    "torch.normal": MakesLike("mean std -size", Rank.UNKNOWN, samples=True),
    "torch.rand_like": MakesLike("input", samples=True),
    "torch.randn_like": MakesLike("input", samples=True),
    "torch.randint_like": MakesLike("input -low -high", samples=True),
    "torch.poisson": Follows("input -generator", Rank.SAME, samples=True),
    "torch.binomial": Follows("count prob -generator", Rank.SAME, samples=True),
    "torch.set_rng_state": Inert("=new_state"),
    "torch.random.set_rng_state": Inert("=new_state"),
    "torch.cuda.set_rng_state": Inert("=new_state -device"),
    "torch.cuda.random.set_rng_state": Inert("=new_state -device"),
}

INIT: dict[str, Fact] = {
    "uniform_": _draws("tensor -a -b -generator"),
    "normal_": _draws("tensor -mean -std -generator"),
    "trunc_normal_": _draws("tensor -mean -std -a -b -generator"),
    "xavier_uniform_": _draws("tensor -gain -generator"),
    "xavier_normal_": _draws("tensor -gain -generator"),
    "kaiming_uniform_": _draws("tensor -a -mode -nonlinearity -generator"),
    "kaiming_normal_": _draws("tensor -a -mode -nonlinearity -generator"),
    "orthogonal_": _draws("tensor -gain -generator"),
    "sparse_": _draws("tensor -sparsity -std -generator"),
    "constant_": Follows("tensor -val", Rank.SAME, in_place=True),
    "ones_": Follows("tensor", Rank.SAME, in_place=True),
    "zeros_": Follows("tensor", Rank.SAME, in_place=True),
    "eye_": Follows("tensor", Rank.SAME, in_place=True),
    "dirac_": Follows("tensor -groups", Rank.SAME, in_place=True),
}

BOTH: dict[str, Fact] = {
    "bernoulli": Follows("input -p", Rank.SAME, samples=True),
    "multinomial": Follows("input -num_samples -replacement", Rank.ARRAY, samples=True),
}

METHODS: dict[str, Fact] = {
    "bernoulli_": _draws("self ~p"),
    "normal_": _draws("self -mean -std"),
    "uniform_": _draws("self -from -to"),
    "random_": _draws("self -from -to"),
    "exponential_": _draws("self -lambd"),
    "geometric_": _draws("self -p"),
    "cauchy_": _draws("self -median -sigma"),
    "log_normal_": _draws("self -mean -std"),
}
