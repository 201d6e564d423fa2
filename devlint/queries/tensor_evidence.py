"""Which expressions of a function are evidently tensors, by what the function does with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set

from devlint.facts.signature import signature
from devlint.facts.table import FACTS
from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.queries.annotations import is_tensor_type
from devlint.queries.dotted_names import last_word, path
from devlint.queries.name_conventions import written

#: Methods and attributes that say nothing, because numbers, lists, strings, modules have them too.
COMMON = frozenset(
    "split sort index count type to cuda cpu xpu float double half bfloat16 apply "
    "values indices real imag copy_ all any replace real T conj item get_device".split()
)
#: Attributes that only tensors and arrays have.
ATTRIBUTES = frozenset({"shape", "ndim", "is_cuda", "grad", "mT", "mH"})
#: The attributes of a tensor that are no methods; a `name` is what much has.
PROPERTIES = frozenset(
    "H T mH mT data device dtype grad grad_dtype grad_fn imag is_cpu is_cuda is_ipu is_leaf "
    "is_maia is_meta is_mkldnn is_mps is_mtia is_nested is_quantized is_sparse is_sparse_csr "
    "is_vulkan is_xla is_xpu itemsize layout nbytes ndim output_nr real requires_grad "
    "retains_grad shape volatile".split()
)
#: Methods and attributes that only they have.
TENSOR_WORDS = (
    frozenset(name.rpartition(".")[2] for name in FACTS if name.startswith("torch.Tensor."))
    | ATTRIBUTES
) - COMMON


def types_asked(test: ir.Call) -> frozenset[str]:
    """The types that a test asks for: those of `isinstance`, of `torch.is_tensor` `Tensor`."""
    function = last_word(test.func)
    if function == "is_tensor":
        return frozenset({"Tensor"})
    if function != "isinstance" or len(test.args) != 2:
        return frozenset()
    kinds = test.args[1]
    return frozenset(map(last_word, kinds.items if isinstance(kinds, ir.Display) else (kinds,)))


def axes(index: ir.Expression) -> Sequence[ir.Expression]:
    """What an index has for each axis, one at least."""
    return index.items if isinstance(index, ir.Display) else (index,)


def has_slice(index: ir.Expression) -> bool:
    return any(isinstance(part, ir.Slice) for part in axes(index))


def has_axes(index: ir.Expression) -> bool:
    """`x[:, i]`: of the values of a program, only tensors and arrays have several axes."""
    return isinstance(index, ir.Display) and has_slice(index)


def shown_to_be_tensors(function: ir.Def | ir.Lambda | ir.Module) -> frozenset[str]:
    """What a function or a program asks for a shape, takes by its axes, hands to PyTorch, or has
    annotated as tensors.

    A name that is bound to a number, too, or first to what may be one by all that is known, may be
    that elsewhere; an argument is what it is.
    """
    params = () if isinstance(function, ir.Module) else function.params
    given = {parameter.name for parameter in params}
    annotated = {p.name for p in params if is_tensor_type(p.annotation)}
    nodes = list(walk(function))
    asked = {name for node in nodes for name in asked_of(node)}
    if not asked <= given:
        asked -= set(bound_to_numbers(nodes)) - given
        asked -= set(bound_to_sums(nodes, annotated | asked)) - given
    return frozenset(annotated | asked)


def bound_to_numbers(nodes: Iterable[ir.Node]) -> Iterator[str]:
    """The names that some nodes assign numbers to, or what adds up from one."""
    for node in nodes:
        if isinstance(node, ir.Assign) and may_be_number(node.value):
            yield from map(written, node.targets)


def bound_to_sums(nodes: Sequence[ir.Node], tensors: Set[str]) -> Iterator[str]:
    """The names that are bound more than once, and once to a sum of what is none of the tensors."""
    counts = Counter(bound(nodes))
    for node in nodes:
        if isinstance(node, ir.Assign) and is_sum(node.value, tensors):
            yield from (name for name in map(written, node.targets) if counts[name] > 1)


def is_sum(node: ir.Expression, tensors: Set[str]) -> bool:
    """Whether something adds up, by any operator, from numbers, names that are no tensors, and what
    functions of `math` give."""
    if isinstance(node, ir.Unary):
        return is_sum(node.operand, tensors)
    if isinstance(node, ir.Binary):
        return all(is_part(each, tensors) for each in (node.left, node.right))
    return False


def is_part(node: ir.Expression, tensors: Set[str]) -> bool:
    if isinstance(node, (ir.Name, ir.Attribute)):
        return written(node) not in tensors
    is_of_math = isinstance(node, ir.Call) and path(node.func)[:1] == ["math"]
    return is_of_math or isinstance(node, ir.Constant) or is_sum(node, tensors)


def may_be_number(node: ir.Expression) -> bool:
    if isinstance(node, ir.Conditional):
        return may_be_number(node.then) or may_be_number(node.orelse)
    if isinstance(node, ir.Logic):
        return any(map(may_be_number, node.values))
    if isinstance(node, ir.Unary):
        return may_be_number(node.operand)
    if isinstance(node, ir.Binary):
        return may_be_number(node.left) and may_be_number(node.right)
    return isinstance(node, ir.Constant)


def shown_to_have_dimensions(function: ir.Def | ir.Lambda) -> frozenset[str]:
    """The names of what the function asks for the size of a dimension, or takes by its axes, if
    nothing else is ever bound to them."""
    nodes = list(walk(function))
    counts = Counter((*bound(nodes), *(parameter.name for parameter in function.params)))
    return frozenset(name for node in nodes for name in measured(node) if counts[name] < 2)


def measured(node: ir.Node) -> Iterator[str]:
    """The names that a node takes for tensors with dimensions."""
    if isinstance(node, ir.Subscript):
        yield from shape_of(node.value)
        if has_axes(node.index):
            yield written(node.value)
    elif isinstance(node, ir.Assign) and any(isinstance(each, ir.Display) for each in node.targets):
        yield from shape_of(node.value)
    elif isinstance(node, ir.Call) and node.args:
        yield from owner(node.func, "size")


def shape_of(node: ir.Expression) -> Iterator[str]:
    """The name in `x.shape` and `x.size()`."""
    if isinstance(node, ir.Call) and not node.args:
        return owner(node.func, "size")
    return owner(node, "shape")


def owner(node: ir.Expression, name: str) -> Iterator[str]:
    """What has the attribute of that name, if one is read."""
    if isinstance(node, ir.Attribute) and node.name == name:
        yield written(node.value)


def gives_tensors(function: ir.Def | ir.Lambda) -> bool:
    """Whether all that a function returns is what a method of tensors alone gives."""
    if isinstance(function, ir.Lambda):
        return is_from_tensor(function, function.body)
    returns = [node.value for node in walk(function) if isinstance(node, ir.Return)]
    return bool(returns) and all(
        value is not None and is_from_tensor(function, value) for value in returns
    )


def is_from_tensor(function: ir.Def | ir.Lambda, node: ir.Expression) -> bool:
    if isinstance(node, ir.Binary):
        return any(is_from_tensor(function, each) for each in (node.left, node.right))
    if not isinstance(node, ir.Call) or not isinstance(node.func, ir.Attribute):
        return False
    if node.func.name not in TENSOR_WORDS:
        return False
    whole = node.func.value
    # A library that is imported has functions of the same names.
    return not isinstance(whole, ir.Name) or any(each.name == whole.id for each in function.params)


def asked_for_device(function: ir.Def) -> frozenset[str]:
    """The names of what a function asks for its device, and does not tell one."""
    if "device" not in function.words:
        return frozenset()
    nodes = list(walk(function))
    told = {target for each in nodes if isinstance(each, ir.Assign) for target in each.targets}
    devices = [each for each in nodes if isinstance(each, ir.Attribute) and each.name == "device"]
    asked = {each.value.id for each in devices if isinstance(each.value, ir.Name)}
    return frozenset(asked.difference(written(each.value) for each in devices if each in told))


def bound(nodes: Iterable[ir.Node]) -> Iterator[str]:
    """The names that some nodes assign, once for each time."""
    for node in nodes:
        if isinstance(node, ir.Assign):
            for target in node.targets:
                yield from map(written, parts(target))
        elif isinstance(node, (ir.AugmentedAssign, ir.For)):
            yield from map(written, parts(node.target))


def parts(target: ir.Expression) -> Iterator[ir.Expression]:
    """The targets that an assignment to `a, (b, c)` has."""
    if isinstance(target, ir.Display):
        for item in target.items:
            yield from parts(item)
    else:
        yield target


def asked_of(node: ir.Node) -> Iterator[str]:
    """The names that a node takes for tensors."""
    if isinstance(node, ir.Attribute):
        if node.name in ATTRIBUTES:
            yield written(node.value)
    elif isinstance(node, ir.Subscript):
        if has_axes(node.index):
            yield written(node.value)
    elif isinstance(node, ir.Call):
        if isinstance(node.func, ir.Attribute) and node.func.name in TENSOR_WORDS:
            yield written(node.func.value)
        yield from map(written, handed_to_torch(node))


def compared_by_losses(function: ir.Def | ir.Module) -> frozenset[str]:
    """What a function compares with an output, by a call whose result it differentiates: the
    targets of a loss. What is asked for anything is rather a model than a loss."""
    nodes = list(walk(function))
    calls = [node for node in nodes if isinstance(node, ir.Call)]
    differentiated = [each.func for each in calls if last_word(each.func) == "backward"]
    sought = [part for each in differentiated for part in walk(each)]
    given = [(set(bound((node,))), node.value) for node in nodes if isinstance(node, ir.Assign)]
    called = {name for names, value in given if isinstance(value, ir.Call) for name in names}
    losses = assigned_to(names_among(sought), given)
    asked = {written(node.value) for node in nodes if isinstance(node, ir.Attribute)}
    return frozenset(
        written(target)
        for loss in (*losses, *sought)
        if isinstance(loss, ir.Call) and len(loss.args) > 1 and written(loss.func) not in asked
        if isinstance(loss.args[0], ir.Call) or written(loss.args[0]) in called
        for target in loss.args[1:]
    )


def assigned_to(
    names: set[str], given: Sequence[tuple[Set[str], ir.Expression]]
) -> list[ir.Expression]:
    """What names are assigned, and the parts of sums among that."""
    sums = [each for each in given if isinstance(each[1], ir.Binary)]
    known = 0
    while known < len(names):  # In whatever order they stand.
        known = len(names)
        for targets, value in sums:
            if not names.isdisjoint(targets):
                names |= names_among(walk(value))
    return [value for targets, value in given if not names.isdisjoint(targets)]


def names_among(nodes: Iterable[ir.Node]) -> set[str]:
    return {each.id for each in nodes if isinstance(each, ir.Name)}


def handed_to_torch(node: ir.Call) -> Iterator[ir.Expression]:
    """The arguments of a call that have to be tensors, or what holds some."""
    name = written(node.func)
    if name.startswith(("torch.cat", "F.")) or name.endswith("_as"):
        yield from node.args[:1]
    known = FACTS.get(f"torch.nn.functional.{name.removeprefix('F.')}")
    taken = signature("" if known is None else known.signature)
    for place, argument in enumerate(node.args):
        parameter = taken.positional(place)
        if parameter is not None and parameter.is_operand:
            yield argument
