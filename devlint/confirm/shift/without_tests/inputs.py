"""Inputs that a module may take, as Python: by its signature, its layers and its numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, product, repeat
from typing import Any, Literal

import torch

from devlint.confirm.shift.without_tests.arguments import (
    Arguments,
    Taste,
    hints_of,
    parameters,
)

#: What a tensor holds: numbers, whole ones, indices for each sample, or for each place of it.
Kind = Literal["numbers", "wholes", "classes", "indices", "mask"]
NUMBERS: Kind = "numbers"
WHOLES: Kind = "wholes"
CLASSES: Kind = "classes"
INDICES: Kind = "indices"
_INDICES = re.compile(r"(^|_)(idx|index|indices|ids?|tokens?|seq|edge_index|timesteps?|t)$")
_CLASSES = re.compile(r"label|target|class")
_MASK = re.compile(r"mask")
#: Where layers keep how wide what they take is.
_WIDTHS = (
    "in_channels",
    "in_features",
    "num_features",
    "embedding_dim",
    "input_size",
    "num_channels",
)
_RANKS: tuple[tuple[Any, Callable[[Any], int]], ...] = (
    (torch.nn.modules.conv._ConvNd, lambda layer: len(layer.kernel_size) + 2),
    (torch.nn.Linear, lambda layer: 3),
    (torch.nn.RNNBase, lambda layer: 3),
)
#: Batches of images, of sequences either way, of vectors, of volumes, and a vector.
_FORMS: tuple[tuple[Any, ...], ...] = (
    (2, "width", "side", "side"),
    (2, 3, "width"),
    (2, "width", "side"),
    (2, "width"),
    (2, "width", 8, 8, 8),
    ("width",),
)
#: What is tried where any number of arguments is taken, or none.
_OF_ANY: tuple[tuple[Kind, ...], ...] = (
    (NUMBERS,),
    (NUMBERS, NUMBERS),
    (NUMBERS, WHOLES),
    (NUMBERS, CLASSES),
    (NUMBERS, INDICES),
    (INDICES,),
    (INDICES, INDICES),
)
_MOST_WIDTHS = 6
#: Numbers in one tensor.
_MOST = 1_000_000


def inputs(net: Any, build: str, arguments: Arguments) -> Iterator[str]:
    """Arguments of a call, the likeliest first."""
    given = parameters(net.forward)
    if not given:
        yield ""
    names = [each.name for each in given or ()]
    hints = hints_of(net.forward)
    for shape, pattern in tensors(net, build, patterns(names, net) if names else _OF_ANY):
        values = [
            _value(hints.get(name), name, arguments) or _tensor(shape, kind)
            for name, kind in zip(names or pattern, pattern, strict=True)
        ]
        yield ", ".join(_named(given, values))


def _named(given: Any, values: Sequence[str]) -> Iterator[str]:
    """Arguments of those parameters that take them by name only."""
    for each, value in zip(given or [None] * len(values), values, strict=True):
        yield f"{each.name}={value}" if each and each.kind is each.KEYWORD_ONLY else value


def _value(annotation: Any, name: str, arguments: Arguments) -> str:
    """Of what is said to be no tensor."""
    if annotation is None or annotation is Any or "Tensor" in str(annotation):
        return ""
    return Taste(4).of(arguments.options(annotation, name), name)


def patterns(names: Sequence[str], net: Any) -> list[tuple[Kind, ...]]:
    """What each argument may hold."""
    first = next((each for each in net.modules() if each._parameters), None)
    is_indexed = isinstance(first, torch.nn.Embedding)
    by_name: tuple[Kind, ...] = tuple(map(_kind, names))
    number = len(names)
    others = number - 1
    found: list[tuple[Kind, ...]] = [
        by_name,
        (*repeat(NUMBERS, number),),
        (NUMBERS, *repeat(WHOLES, others)),
        (NUMBERS, *repeat(CLASSES, others)),
        (NUMBERS, *repeat(INDICES, others)),
        (*repeat(INDICES, number),),
    ]
    return [*dict.fromkeys(found[::-1] if is_indexed else found)]


def _kind(name: str) -> Kind:
    if _INDICES.search(name):
        return "indices"
    if _MASK.search(name):
        return "mask"
    return "classes" if _CLASSES.search(name) else "numbers"


def _tensor(shape: tuple[int, ...], kind: Kind) -> str:
    """Numbers are between 0 and 1, indices are 0 or 1."""
    without_width = [*shape[:1], *shape[2:]] if len(shape) > 3 else [*shape[:-1]]
    if kind == "numbers":
        return f"torch.rand({', '.join(map(str, shape))})"
    if kind == "wholes":
        return f"torch.randint(0, 2, {shape})"
    if kind == "classes":
        return f"torch.randint(0, 2, ({shape[0]},))"
    if kind == "indices":
        return f"torch.randint(0, 2, {tuple(without_width or shape)})"
    return f"torch.ones({tuple(without_width or shape)}, dtype=torch.bool)"


def tensors(
    net: Any, build: str, patterns: Sequence[tuple[Kind, ...]]
) -> Iterator[tuple[tuple[int, ...], tuple[Kind, ...]]]:
    """Shapes, of each width that the module may want and of five ranks, and what is in them: in
    every respect the likeliest first."""
    sides = [*dict.fromkeys([*_sides(net), 16, 32, 64, 224])]
    ways: list[Sequence[Any]] = [widths(net, build), _forms(net), sides, patterns]
    seen = set()
    for places in sorted(product(*(range(len(each)) for each in ways)), key=sum):
        width, form, side, pattern = (each[n] for each, n in zip(ways, places, strict=True))
        shape = tuple({"width": width, "side": side}.get(each, each) for each in form)
        if (shape, pattern) not in seen and math.prod(shape) <= _MOST:
            seen.add((shape, pattern))
            yield shape, pattern


def _forms(net: Any) -> list[tuple[Any, ...]]:
    """Those of the rank that its first layer takes, before all others."""
    found = (
        rank(layer) for layer in net.modules() for kind, rank in _RANKS if isinstance(layer, kind)
    )
    rank = next(found, 0)
    return sorted(_FORMS, key=lambda form: len(form) != rank)


def widths(net: Any, build: str) -> list[int]:
    """Those of its layers, the numbers that it got, and those that it keeps."""
    of_layers = (getattr(each, name, None) for each in net.modules() for name in _WIDTHS)
    kept = vars(net).values()
    numbers = [int(each) for each in re.findall(r"\d+", build)]
    found = [*of_layers, *numbers, *kept, 3, 4, 1]
    some = dict.fromkeys(each for each in found if type(each) is int and 0 < each <= 4096)
    return [*islice(some, _MOST_WIDTHS)] + [each for each in (3, 1) if each not in some]


def _sides(net: Any) -> Iterator[int]:
    """Sizes of images that it keeps."""
    for name, value in vars(net).items():
        sides = value if isinstance(value, (tuple, list)) else [value]
        if re.search(r"size|shape|resolution", name):
            yield from (each for each in sides[:1] if type(each) is int and 7 < each <= 256)
