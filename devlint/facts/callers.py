"""Functions of PyTorch and Python that call a function which they are given."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from devlint.facts.effect import Fact


class Given(Enum):
    """What such a function is called with."""

    REST = "what is not among the parameters"
    ONE = "what `source` is given, a tuple for several"
    EACH = "an item of each of the rest"
    ITEM = "an item of `source`, a tuple for several"
    PAIR = "what it gave before, and an item of `source`"
    LEAF = "each leaf of `source`"


class Gives(Enum):
    """What comes of it."""

    RESULT = "what it gives"
    RESULTS = "a list of what it gives"
    NOTHING = "something else"


@dataclass(frozen=True, slots=True)
class Calls(Fact):
    """Calls its parameter `function`, at once or later; `source` is the parameter with what that is
    given."""

    function: str
    given: Given = Given.ONE
    source: str = ""
    gives: Gives = Gives.NOTHING


@dataclass(frozen=True, slots=True)
class Transforms(Fact):
    """Gives a function like the one that it is given: `is_batched`, for tensors with one dimension
    more; else one that gives something where the first argument is, such as a gradient."""

    is_batched: bool = False


_AUTOGRAD = {
    f"torch.autograd.{name}": Calls("-func -inputs", "func", source="inputs")
    for name in (
        *(f"functional.{name}" for name in "jacobian hessian vjp jvp vhp hvp".split()),
        "gradcheck",
        "gradgradcheck",
    )
}
_THREADS = {
    name: Calls("-group -target -name -args -kwargs", "target", source="args")
    for name in ("threading.Thread", "multiprocessing.Process", "torch.multiprocessing.Process")
}
_POOL = "multiprocessing.pool.Pool"

FUNCTIONS: dict[str, Fact] = {
    **_AUTOGRAD,
    **_THREADS,
    "threading.Timer": Calls("-interval -function -args -kwargs", "function", source="args"),
    "torch.utils.checkpoint.checkpoint": Calls(
        "-function *-args -use_reentrant -context_fn -determinism_check -debug -early_stop "
        "-preserve_rng_state",
        "function",
        Given.REST,
        gives=Gives.RESULT,
    ),
    "torch.utils.checkpoint.checkpoint_sequential": Calls(
        "-functions -segments -input", "functions", source="input", gives=Gives.RESULT
    ),
    "torch.func.vjp": Calls("-func *-primals -has_aux", "func", Given.REST),
    "torch.func.jvp": Calls("-func -primals -tangents", "func", source="primals"),
    "torch.utils._pytree.tree_map": Calls(
        "-func -tree *-rests", "func", Given.LEAF, "tree", Gives.RESULT
    ),
    "torch.utils._pytree.tree_map_only": Calls(
        "-type -func -tree", "func", Given.LEAF, "tree", Gives.RESULT
    ),
    "functools.reduce": Calls(
        "-function -iterable -initial", "function", Given.PAIR, "iterable", Gives.RESULT
    ),
    "itertools.starmap": Calls(
        "-function -iterable", "function", Given.ITEM, "iterable", Gives.RESULTS
    ),
    "concurrent.futures.Executor.submit": Calls("-fn *-args", "fn", Given.REST),
    "concurrent.futures.Executor.map": Calls(
        "-fn *-iterables -timeout -chunksize", "fn", Given.EACH, gives=Gives.RESULTS
    ),
    f"{_POOL}.apply": Calls("-func -args -kwds", "func", source="args", gives=Gives.RESULT),
    f"{_POOL}.apply_async": Calls("-func -args -kwds", "func", source="args"),
    f"{_POOL}.starmap": Calls("-func -iterable", "func", Given.ITEM, "iterable", Gives.RESULTS),
    **{
        f"{_POOL}.{name}": Calls("-func *-iterable", "func", Given.EACH, gives=Gives.RESULTS)
        for name in ("map", "imap", "imap_unordered")
    },
    **{f"torch{part}.vmap": Transforms("func", is_batched=True) for part in ("", ".func")},
    **{
        f"torch.func.{name}": Transforms("func")
        for name in "grad jacrev jacfwd hessian functionalize".split()
    },
}
#: What makes objects, and what is said above to have their methods.
MAKERS = {
    "concurrent.futures.ThreadPoolExecutor": "concurrent.futures.Executor",
    "concurrent.futures.ProcessPoolExecutor": "concurrent.futures.Executor",
    "multiprocessing.Pool": _POOL,
    "multiprocessing.pool.ThreadPool": _POOL,
    "torch.multiprocessing.Pool": _POOL,
}
