"""What Python's own functions make of iterables, and which of them give numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from devlint.facts.arrays import DRAWING
from devlint.facts.callers import MAKERS
from devlint.facts.table import UNARY
from devlint.interpret.core.call import Argument, Arguments
from devlint.interpret.core.containers import (
    APART,
    Anew,
    container,
    element,
    in_order,
    items_of,
    joined,
    numbered,
    sequence,
    some_order,
)
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.object_ids import display_kind, maker
from devlint.interpret.core.scopes import ClassInfo, Record
from devlint.interpret.objects import callers, temporary_files
from devlint.interpret.objects.container_methods import inner
from devlint.interpret.tensors import mixtures, operations
from devlint.interpret.tensors.certain_tensors import is_certain_argument, is_moved_tensor
from devlint.lower import ir
from devlint.values.instance import ANY, ItemKey, Unplaced
from devlint.values.tags import MakesItems
from devlint.values.value import CALLABLE, NOTHING, Kind, Value


def same(machine: Run, node: ir.Call, arguments: Arguments) -> Value:
    return arguments.positional[0].value if arguments.positional else NOTHING


def reordered(machine: Run, node: ir.Call, arguments: Arguments) -> Value:
    """The items, or some of them, in an order of which nothing is known."""
    given = next(iter(arguments), None)
    known = None if given is None else some_order(machine, given.value)
    if given is not None:
        callers.asked(machine, node, arguments.keywords.get("key"), given.value)
    if known and len(known) <= APART:
        return container(machine, node, mixed(known))
    return container(machine, node, {ANY: next_item(machine, node, arguments)})


def enumerated(machine: Run, node: ir.Call, arguments: Arguments) -> Value:
    counted = replace(arguments, positional=arguments.positional[:1])
    return tuples(machine, node, [Value(Kind.NUMBER)], counted)


def zipped(machine: Run, node: ir.Call, arguments: Arguments) -> Value:
    if node.args and all(isinstance(each, ir.Starred) for each in node.args):
        return transposed(machine, node, [each.value for each in arguments])
    return tuples(machine, node, [], arguments)


def tuples(machine: Run, node: ir.Call, first: list[Value], arguments: Arguments) -> Value:
    """Tuples of something and an item of each argument; one for each item of what holds tensors in
    different places."""
    columns = [mixtures.apart(machine, each.value) or [] for each in arguments.positional]
    rest = list(elements(machine, arguments).values())
    count = max(map(len, columns), default=0)
    if not count:
        items = numbered([*first, *rest])
        return container(machine, node, {ANY: container(machine, node.func, items)})
    rows = [
        [column[at] if at < len(column) else rest[place] for place, column in enumerate(columns)]
        for at in range(count)
    ]
    made = [inner(machine, node, at, numbered([*first, *row])) for at, row in enumerate(rows)]
    return container(machine, node, mixed(made))


def crossed(machine: Run, node: ir.Call, arguments: Arguments) -> Value:
    """`product(xs, ys)`: pairs of items."""
    pair = {} if arguments.rest else elements(machine, arguments)
    return container(machine, node, {ANY: container(machine, node.func, pair)})


def best(machine: Run, node: ir.Call, arguments: Arguments) -> Value:
    """`max(xs, key=..)` gives one of the items, whatever is compared."""
    if "key" not in arguments.keywords or len(arguments.positional) != 1:
        return NOTHING
    callers.asked(machine, node, arguments.keywords["key"], arguments.positional[0].value)
    return next_item(machine, node, arguments)


def absolute(machine: Run, node: ir.Call, arguments: Arguments) -> Value:
    """`abs(x)` and `round(x)`: of a tensor, one that is where that is."""
    given = [(each.node, each.value) for each in arguments.positional[:1]]
    return operations.operated(machine, node, "abs", UNARY, given)


def transposed(machine: Run, node: ir.Call, rows: list[Value]) -> Value:
    """`zip(*rows)`: of rows that are known item by item, as many columns as those have; which row
    is where is not known."""
    known = [in_order(machine.instance(row.ref).items) for row in rows]
    columns = list(zip(*known, strict=False))
    given = [inner(machine, node, place, mixed(each)) for place, each in enumerate(columns)]
    return container(machine, node, numbered(given))


def mixed(values: Sequence[Value]) -> dict[ItemKey, Value]:
    """The items of a list in an order of which nothing is known."""
    if len(values) > APART or all(each == values[0] for each in values):
        return {ANY: joined(values)}
    return {ItemKey(Unplaced(number)): each for number, each in enumerate(values)}


def chained(machine: Run, node: ir.Call, arguments: Arguments) -> Value:
    return container(machine, node, {} if arguments.rest else elements(machine, arguments))


def mapped(machine: Run, node: ir.Call, arguments: Arguments) -> Value:
    """`map(function, items)` calls the function with each of them, and `map(function, xs, ys)` with
    one of each."""
    if len(arguments.positional) < 2 or arguments.rest:
        return NOTHING
    function, *given = arguments.positional
    known = [sequence(machine, each.value) for each in given]
    rows = list(zip(*known, strict=False)) if all(known) else []
    calls = []
    for row in rows or [tuple(element(machine, each.value, each.node) for each in given)]:
        handed = (Argument(each.node, value) for each, value in zip(given, row, strict=True))
        calls.append(Arguments(tuple(handed)))
    made = [machine.apply(node, function.value, each) for each in calls]
    # What the function makes has the key of the call.
    return container(machine, node.func, numbered(made) if rows else numbered((), made))


def defaulted(machine: Run, node: ir.Call, arguments: Arguments) -> Value:
    """`defaultdict(list)`, `defaultdict(lambda: torch.zeros(3))`."""
    made, factory = container(machine, node, {}), same(machine, node, arguments)
    if factory.kind in CALLABLE:
        makes = MakesItems(Anew(node, factory))
        machine.store(made.ref, machine.instance(made.ref).tagged(makes))
    return made


def elements(machine: Run, arguments: Arguments) -> dict[ItemKey, Value]:
    """One element of each argument, by their places."""
    return numbered(element(machine, each.value, each.node) for each in arguments.positional)


def next_item(machine: Run, node: ir.Call, arguments: Arguments) -> Value:
    return element(machine, same(machine, node, arguments), node)


def listed(machine: Run, node: ir.Call, arguments: Arguments) -> Value:
    """`list(xs)` is another list than `xs`."""
    found = same(machine, node, arguments)
    if found.kind is Kind.CONTAINER and display_kind(found.ref) == "list":
        return container(machine, node, machine.instance(found.ref).items)
    return tupled(machine, node, arguments)


def tupled(machine: Run, node: ir.Call, arguments: Arguments) -> Value:
    """The tuple of a tensor holds its parts, and is none itself; what a generator gives is held by
    another one."""
    found = same(machine, node, arguments)
    if isinstance(made := maker(found.ref), ir.Comprehension) and made.kind == "generator":
        return container(machine, node, machine.instance(found.ref).items)
    if found.kind is not Kind.TENSOR:
        return found
    each = element(machine, found, node)
    return Value(Kind.CONTAINER, each.device, each.dimensions, origin=each.origin)


def summed(machine: Run, node: ir.Call, arguments: Arguments) -> Value:
    """`sum(tensors)` is where they are."""
    each = next_item(machine, node, arguments)
    is_tensor = each.kind is Kind.TENSOR
    return replace(each, payload=None, tags=()) if is_tensor else NOTHING


def dictionary(machine: Run, node: ir.Call, arguments: Arguments) -> Value:
    """`dict(a=1)` is `{"a": 1}`, and so is `dict([("a", 1)])`; `dict(other, a=1)` is a copy of
    another one with that in it."""
    other = same(machine, node, arguments)
    copied = paired(machine, other) or machine.instance(other.ref).items
    if arguments.mapped or (arguments.positional and not copied):
        return other
    given = {ItemKey(name): each.value for name, each in arguments.keywords.items()}
    return container(machine, node, {**copied, **given})


def paired(machine: Run, pairs: Value) -> dict[ItemKey, Value]:
    """The items of a dict that is made of pairs of keys and values; none if it is not."""
    if any(isinstance(key.at, str) for key in machine.instance(pairs.ref).items):
        return {}
    known = [in_order(machine.instance(each.ref).items) for each in items_of(machine, pairs)]
    if any(len(pair) != 2 for pair in known):
        return {}
    keys = [key.payload if key.kind is Kind.CONSTANT else None for key, _ in known]
    if len({*keys}) < len(keys):
        return {ANY: joined(value for _, value in known)}
    return {ItemKey(key): value for key, (_, value) in zip(keys, known, strict=True)}


def copied(machine: Run, node: ir.Call, arguments: Arguments) -> Value:
    """`deque(items)`: another container of the same items."""
    return container(machine, node, machine.instance(same(machine, node, arguments).ref).items)


def filtered(machine: Run, node: ir.Call, arguments: Arguments) -> Value:
    """`filter(predicate, items)` gives some of the items."""
    if len(arguments.positional) != 2:
        return NOTHING
    predicate, items = arguments.positional
    callers.asked(machine, node, predicate, items.value)
    devices = {each.device for each in items_of(machine, items.value)}
    return items.value if len(devices) < 2 else container(machine, node, {ANY: NOTHING})


def having(functions: str) -> Callable[[Run, ir.Call, Arguments], Value]:
    """What makes an object whose methods are known as the functions of a module or class."""
    return lambda machine, node, arguments: Value(Kind.IMPORTED, payload=functions)


def cast(machine: Run, node: ir.Call, arguments: Arguments) -> Value:
    """`typing.cast(type, value)` is the value."""
    given = arguments.get(1, "val")
    return NOTHING if given is None else given.value


def type_of(machine: Run, node: ir.Call, arguments: Arguments) -> Value:
    """`type(x)`: a class in view, that of tensors, or of a container that is written out."""
    if len(arguments.positional) != 1:
        return NOTHING
    given = arguments.positional[0]
    if is_certain_argument(machine, given) or is_moved_tensor(machine, given.value):
        return Value(Kind.IMPORTED, payload="torch.Tensor")
    ref = given.value.ref
    owner, kind = machine.instance(ref).type, display_kind(ref)
    if isinstance(owner, ClassInfo):
        return Value(Kind.CLASS, payload=owner)
    if isinstance(owner, Record):
        return Value(Kind.FUNCTION, payload=owner)
    return NOTHING if kind is None else Value(Kind.IMPORTED, payload=f"builtins.{kind}")


def number(machine: Run, node: ir.Call, arguments: Arguments) -> Value:
    return Value(Kind.NUMBER)


#: What goes through each of its arguments.
OF_ITERABLES = frozenset(
    f"builtins.{name}" for name in ("enumerate", "iter", "list", "sorted", "tuple", "zip")
)
FUNCTIONS = {
    "builtins.list": listed,
    **dict.fromkeys(("builtins.tuple", "torch.Size"), tupled),
    **dict.fromkeys(("builtins.dict", "collections.OrderedDict"), dictionary),
    "collections.defaultdict": defaulted,
    "builtins.iter": same,
    "collections.deque": copied,
    **dict.fromkeys(("builtins.sorted", "builtins.reversed"), reordered),
    **dict.fromkeys(("random.sample", "random.choices"), reordered),
    "random.choice": next_item,
    **dict.fromkeys(("builtins.max", "builtins.min"), best),
    **dict.fromkeys(("builtins.len", "builtins.int", "builtins.float"), number),
    **dict.fromkeys(("builtins.abs", "builtins.round"), absolute),
    "builtins.enumerate": enumerated,
    "builtins.filter": filtered,
    "builtins.map": mapped,
    "builtins.next": next_item,
    "builtins.sum": summed,
    "builtins.type": type_of,
    "builtins.zip": zipped,
    "itertools.chain": chained,
    "itertools.product": crossed,
    "itertools.islice": reordered,
    "itertools.cycle": same,
    **{name: having(functions) for name, functions in (*MAKERS.items(), *DRAWING.items())},
    "typing.cast": cast,
    **dict.fromkeys(("os.path.join", "pathlib.Path"), temporary_files.path_of),
}
