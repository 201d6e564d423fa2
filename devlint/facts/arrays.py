"""Functions of NumPy that make float64 arrays unless they are told otherwise."""

from __future__ import annotations

from devlint.lower import ir

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
