"""Functions that reduce, order or count elements."""

from __future__ import annotations

from devlint.facts.dimensions import Rank
from devlint.facts.effect import Agrees, Compares, Fact, Follows, Many, Picks, Pointwise

#: What lets `unique` tell more than the values that there are.
_COUNTS = ("return_inverse", "return_counts")

FUNCTIONS: dict[str, Fact] = {
    "torch.std_mean": Many("input -dim -unbiased -keepdim", Rank.REDUCED),
    "torch.var_mean": Many("input -dim -unbiased -keepdim", Rank.REDUCED),
    "torch.cumulative_trapezoid": Agrees("y x", Rank.ARRAY),
    "torch.trapezoid": Agrees("y x", Rank.UNKNOWN),
    "torch.trapz": Agrees("y x", Rank.UNKNOWN),
    "torch.bucketize": Agrees("+input boundaries", Rank.SAME),
    "torch.searchsorted": Agrees("sorted_sequence +input sorter", Rank.UNKNOWN),
    "torch.isin": Agrees("+elements +test_elements", Rank.UNKNOWN),
    "torch.combinations": Follows("input -r -with_replacement", Rank.ARRAY),
    "torch.histogram": Many("input -bins", Rank.ARRAY),
    "torch.allclose": Compares("?input ?other -rtol -atol -equal_nan"),
}

BOTH: dict[str, Fact] = {
    "sum": Follows("input -dim -keepdim", Rank.REDUCED),
    "nansum": Follows("input -dim -keepdim", Rank.REDUCED),
    "mean": Follows("input -dim -keepdim", Rank.REDUCED),
    "nanmean": Follows("input -dim -keepdim", Rank.REDUCED),
    "prod": Follows("input -dim -keepdim", Rank.REDUCED),
    "all": Follows("input -dim -keepdim", Rank.REDUCED),
    "any": Follows("input -dim -keepdim", Rank.REDUCED),
    "amax": Follows("input -dim -keepdim", Rank.REDUCED),
    "amin": Follows("input -dim -keepdim", Rank.REDUCED),
    "argmax": Follows("input -dim -keepdim", Rank.REDUCED),
    "argmin": Follows("input -dim -keepdim", Rank.REDUCED),
    "std": Follows("input -dim -unbiased -keepdim", Rank.REDUCED),
    "var": Follows("input -dim -unbiased -keepdim", Rank.REDUCED),
    "norm": Follows("input -p -dim -keepdim -dtype", Rank.REDUCED),
    "logsumexp": Follows("input -dim -keepdim", Rank.REDUCED),
    "count_nonzero": Follows("input -dim", Rank.REDUCED),
    "quantile": Agrees("input q -dim -keepdim"),
    "nanquantile": Agrees("input q -dim -keepdim"),
    "max": Picks("input other"),
    "min": Picks("input other"),
    "median": Picks("input -dim -keepdim"),
    "nanmedian": Picks("input -dim -keepdim"),
    "mode": Many("input -dim -keepdim", Rank.REDUCED),
    "aminmax": Many("input"),
    "kthvalue": Many("input -k -dim -keepdim", Rank.REDUCED),
    "topk": Many("input -k -dim -largest -sorted", Rank.KEPT),
    "sort": Many("input -dim -descending", Rank.KEPT),
    "cummax": Many("input -dim", Rank.SAME),
    "cummin": Many("input -dim", Rank.SAME),
    "argsort": Follows("input -dim -descending", Rank.SAME),
    "msort": Follows("input", Rank.SAME),
    "cumsum": Follows("input -dim", Rank.SAME),
    "cumprod": Follows("input -dim", Rank.SAME),
    "logcumsumexp": Follows("input -dim", Rank.SAME),
    "diff": Agrees("input -n -dim prepend append", Rank.ARRAY),
    "unique": Follows("input -sorted -return_inverse -return_counts -dim", Rank.ARRAY, _COUNTS),
    "unique_consecutive": Follows("input -return_inverse -return_counts -dim", Rank.ARRAY, _COUNTS),
    "histc": Follows("input -bins -min -max", Rank.ARRAY),
    "bincount": Agrees("input weights -minlength", Rank.ARRAY),
    "dist": Pointwise("input other -p", Rank.SCALAR),
    "cov": Agrees("input -correction fweights aweights", Rank.UNKNOWN),
    "corrcoef": Follows("input", Rank.UNKNOWN),
    "renorm": Follows("input -p -dim -maxnorm", Rank.SAME),
    "equal": Compares("input other"),
}

METHODS: dict[str, Fact] = {
    "allclose": Compares("?self ?other -rtol -atol -equal_nan"),
}
