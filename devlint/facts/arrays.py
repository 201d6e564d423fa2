"""Functions of NumPy that make arrays, float64 ones unless they are told otherwise."""

from __future__ import annotations

from devlint.facts.effect import Fact, MakesArray
from devlint.lower import ir

_SIZED = "zeros ones empty full"
_ARRAYS = "arange eye fromfile fromstring identity linspace logspace"
#: Functions with the parameters before the size.
_SAMPLES = {
    "random random_sample ranf standard_normal": "",
    "exponential poisson": "-p ",
    "beta binomial integers laplace normal randint uniform": "-a -b ",
}

FUNCTIONS: dict[str, Fact] = {
    **{f"numpy.{name}": MakesArray("-shape", needs_size=True) for name in _SIZED.split()},
    **{f"numpy.{name}": MakesArray("") for name in _ARRAYS.split()},
    **{f"numpy.random.{name}": MakesArray("*-size", needs_size=True) for name in ("rand", "randn")},
    "numpy.random.choice": MakesArray("a -size -replace p", needs_size=True),
    "numpy.random.multinomial": MakesArray("-n pvals"),
    "numpy.random.permutation": MakesArray("x"),
    **{
        f"numpy.random.{name}": MakesArray(f"{before}-size", needs_size=True)
        for names, before in _SAMPLES.items()
        for name in names.split()
    },
}

#: What makes an object that draws as the functions of a module do.
DRAWING = dict.fromkeys(("numpy.random.default_rng", "numpy.random.RandomState"), "numpy.random")
#: Functions with the number of arguments from which on one is a dtype.
_MAKERS = {"zeros": 2, "ones": 2, "empty": 2, "eye": 4, "identity": 2, "linspace": 6, "logspace": 6}
_DRAWS = frozenset(
    "rand randn random random_sample ranf sample normal standard_normal uniform beta gamma "
    "exponential laplace logistic lognormal dirichlet multivariate_normal".split()
)


def makes_doubles(name: str, node: ir.Call) -> bool:
    """Whether a call of a function of this name makes an array of float64."""
    module, _, last = name.rpartition(".")
    if module == "numpy.random":
        return last in _DRAWS and "dtype" not in dict(node.keywords)
    limit = _MAKERS.get(last) if module == "numpy" else None
    given = dict(node.keywords)
    return limit is not None and len(node.args) < limit and not {"dtype", None} & given.keys()
