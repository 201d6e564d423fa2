"""How many dimensions the results of operations have."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from devlint.facts.dimensions import Rank, Size
from devlint.facts.effect import Fact, Follows, Makes, MakesLike, Many, Picks
from devlint.facts.exports import IMAGE
from devlint.facts.signature import signature
from devlint.interpret.core.call import Argument, Arguments
from devlint.interpret.core.containers import items_of
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.scopes import Function
from devlint.lower import ir
from devlint.queries.dotted_names import path
from devlint.queries.tensor_evidence import shown_to_have_dimensions
from devlint.values.dimensions import ARRAY, SCALAR, UNRANKED, Dimensions, broadcast, exactly, of
from devlint.values.value import Kind, Value

#: Of those operands that have most.
FROM_OPERANDS: dict[Rank, Callable[[Dimensions], Dimensions]] = {
    Rank.SAME: lambda most: most,
    Rank.KEPT: lambda most: most.at_least(1),
    Rank.MORE: lambda most: most.changed(1),
    Rank.LESS: lambda most: most.changed(-1),
}
FIXED = {Rank.SCALAR: SCALAR, Rank.ARRAY: ARRAY, Rank.MATRIX: of(2, None)}

#: The parameters of functions that take axes.
AXES = ("dim", "dim0", "dim1")

OF_SIZES = {Size.SCALAR: SCALAR, Size.ARRAY: ARRAY, Size.MATRIX: exactly(2)}


def shown(
    machine: Run, function: ir.Node | None, owner: Function | None, name: str, value: Value
) -> Value:
    """What a function binds to a name that it asks for its sizes, or takes by its axes."""
    is_open = value.kind in ITEMS and value.dimensions.least == 0 and value.device.is_partly_known
    if not is_open or not isinstance(function, (ir.Def, ir.Lambda)):
        return value
    if name not in machine.once(shown_to_have_dimensions, function, owner):
        return value
    return replace(value, dimensions=value.dimensions.at_least(1))


def of_operands(rank: Rank, given: Sequence[Dimensions]) -> Dimensions:
    if rank in FROM_OPERANDS:
        return FROM_OPERANDS[rank](broadcast(given))
    if rank is Rank.PRODUCT:
        least = sorted(max(each.least, 1) for each in given)
        return of(least[-1] - (least[0] < 2), None) if len(least) == 2 else UNRANKED
    return FIXED.get(rank, UNRANKED)


def followed(machine: Run, fact: Follows, arguments: Arguments, before: Dimensions) -> Dimensions:
    """What comes of one tensor, and of what else a call says."""
    if fact.rank is Rank.REDUCED:
        return reduced(machine, fact, arguments, before)
    listed = signature(fact.signature)
    shape = listed.positional(1)
    if fact.rank is Rank.UNKNOWN and shape is not None and shape.is_sequence:
        return of_sizes(machine, arguments.positional[1:], arguments.rest)
    axes = [axis for axis in map(arguments.named(listed).get, AXES) if axis is not None]
    before = before.at_least(max((taken(fact.rank, axis) for axis in axes), default=0))
    if fact.rank is Rank.SQUEEZED:
        return before.changed(-1).join(before) if axes else UNRANKED
    return of_operands(fact.rank, [before])


def taken(rank: Rank, axis: Argument) -> int:
    """How many dimensions something has at least that is taken by an axis; the first and the last
    one are also those of a number. `unsqueeze` takes the one behind the last, too."""
    at = axis.value.payload
    if type(at) is not int or at in (0, -1):
        return 0
    return (at + 1 if at > 0 else -at) - (rank is Rank.MORE)


def reduced(
    machine: Run, fact: Follows | Many | Picks, arguments: Arguments, before: Dimensions
) -> Dimensions:
    """`x.sum()` is one number, `x.sum(1)` leaves the first dimension, `x.sum(-2)` the last."""
    named = arguments.named(signature(fact.signature))
    given = next((named[name] for name in ("dim", "axis", "other") if name in named), None)
    if given is None:
        is_whole = len(arguments.positional) == 1 and not arguments.rest
        return SCALAR if is_whole and isinstance(fact, Follows) else UNRANKED
    values = items_of(machine, given.value) or [given.value]
    dims = {each.payload for each in values if type(each.payload) is int}
    if not 0 < len(dims) == len(values):
        return UNRANKED
    before = before.at_least(max(max(dims) + 1, -min(dims)))
    less, keepdim = before.changed(-len(dims)), named.get("keepdim")
    if keepdim is None:
        return less
    return before if keepdim.value.payload is True else less.join(before)


def of_equation(arguments: Arguments) -> Dimensions:
    """`"bij,bjk->bik"`: one for each letter behind the arrow, and any number for `...`."""
    equation = arguments.get(0, "equation")
    text = equation.value.payload if equation is not None else None
    if not isinstance(text, str) or "->" not in text:
        return UNRANKED
    output = text.partition("->")[2].replace(" ", "")
    letters = output.replace("...", "")
    return of(len(letters), len(letters) if letters == output else None)


def of_sizes(
    machine: Run,
    sizes: Sequence[Argument],
    rest: Sequence[Argument],
    other: Dimensions = UNRANKED,
) -> Dimensions:
    """`(2, 3)` and `((2, 3))`: as many as are named; one thing that is no number may be anything,
    as in `view(dtype)`, and says what `other` does."""
    if rest:
        is_some = sizes or len(rest) > 1 or is_shape(rest[0].node)
        return of(max(len(sizes), 1), None) if is_some else UNRANKED
    if len(sizes) != 1 or sizes[0].value.is_number:
        return exactly(len(sizes)) if sizes else UNRANKED
    return of_shape(machine, sizes[0]) if sizes[0].value.kind is Kind.CONTAINER else other


def of_shape(machine: Run, shape: Argument) -> Dimensions:
    """Of a tuple of sizes."""
    if isinstance(shape.node, ir.Display):
        is_open = any(isinstance(each, ir.Starred) for each in shape.node.items)
        return ARRAY if is_open else exactly(len(shape.node.items))
    items = machine.instance(shape.value.ref).items
    if not items:
        return ARRAY if shape.value.ref is None else UNRANKED
    return exactly(len(items)) if all(isinstance(key.at, int) for key in items) else ARRAY


def is_shape(node: ir.Expression) -> bool:
    """`*x.shape`, `*x.size()[:2]`: a tensor that is asked for its shape has one."""
    node = node.value if isinstance(node, ir.Starred) else node
    return not {"shape", "size"}.isdisjoint(path(node)[1:])


def of_factory(machine: Run, fact: Makes, arguments: Arguments, source: Value) -> Dimensions:
    """Of what a factory makes that is given sizes or data; a size that is not known has one."""
    data = arguments.get(0, "data")
    if fact.size is Size.DATA:
        return UNRANKED if data is None else of_data(data, source)
    if fact.size is Size.LIKE:
        return SCALAR if data is not None and data.value.is_scalar is True else ARRAY
    if fact.size not in (Size.SIZE, Size.LAST):
        return OF_SIZES.get(fact.size, UNRANKED)
    place = 0 if fact.size is Size.SIZE else max(len(arguments.positional) - 1, 0)
    return of_size(machine, fact, arguments, place)


def of_tensor_like(
    machine: Run, fact: MakesLike, arguments: Arguments, given: Sequence[Dimensions]
) -> Dimensions:
    """Of what `zeros_like(x)` makes, `x.new_zeros(2, 3)` and `x.new_tensor([1, 2])`."""
    data = arguments.get(1, "data")
    if fact.rank is not Rank.UNKNOWN or data is None:
        return of_operands(fact.rank, given) if given else UNRANKED
    if signature(fact.signature).keyword("data") is not None:
        return of_data(data, data.value)
    return of_size(machine, fact, arguments, 1)


def of_size(machine: Run, fact: Fact, arguments: Arguments, place: int) -> Dimensions:
    """What a size at a place of the arguments says, which may go on for several."""
    listed = signature(fact.signature).positional(place)
    is_sequence = listed is not None and listed.is_sequence
    sizes = arguments.positional[place:] if is_sequence else arguments.positional[place : place + 1]
    if (named := arguments.keywords.get("size")) is not None:
        sizes = (named,)
    return of_sizes(machine, sizes, arguments.rest, ARRAY)


def of_data(given: Argument, source: Value) -> Dimensions:
    """Of what is made of numbers in lists, or of another tensor."""
    if isinstance(given.node, (ir.Display, ir.Comprehension)):
        return depth(given.node)
    if source.kind is Kind.CONTAINER or source.payload == IMAGE:
        return ARRAY
    if given.value.kind in (Kind.TENSOR, Kind.ARRAY):
        return given.value.dimensions
    return SCALAR if given.value.is_number else UNRANKED


def depth(node: ir.Expression) -> Dimensions:
    """How deep lists are nested that are written out."""
    if isinstance(node, ir.Display):
        return depth(node.items[0]).changed(1) if node.items else exactly(1)
    if isinstance(node, ir.Comprehension):
        return ARRAY
    is_number = isinstance(node, ir.Constant) and isinstance(node.value, (int, float))
    return SCALAR if is_number else UNRANKED


def of_items(whole: Dimensions, parts: Iterable[tuple[ir.Expression, Value]]) -> Dimensions:
    """What is left of a tensor by an index: a number takes a dimension away, `None` adds one; what
    may be a number or an array takes one away, or leaves one."""
    kept = taken = new = unknown = 0
    is_array = False
    for node, value in parts:
        kept += isinstance(node, ir.Slice)
        new += isinstance(node, ir.Constant) and node.value is None
        taken += value.is_number or value.is_scalar is True
        is_array = is_array or isinstance(node, ir.Display) or value.is_scalar is False
        unknown += value.kind in ITEMS and value.is_scalar is None
    if is_array:
        return of(kept + new + 1, None)
    left = whole.changed(new - taken - unknown)
    if unknown:
        return of(max(kept + new, min(left.least, 1)), None)
    return left.at_least(kept + new)


#: Kinds of what may be one index or an array of them.
ITEMS = frozenset({Kind.UNKNOWN, Kind.TENSOR, Kind.ARRAY})
