"""Which arguments of a known function are operands."""

from __future__ import annotations

from dataclasses import replace

from devlint.event import Operand
from devlint.facts import effect
from devlint.facts.signature import Mark, Parameter, signature
from devlint.interpret.core.arguments import all_of
from devlint.interpret.core.call import Argument, Arguments
from devlint.interpret.core.interpreter import Run
from devlint.interpret.tensors import losses, operations
from devlint.lower import ir
from devlint.queries.name_conventions import written
from devlint.values.instance import ItemKey
from devlint.values.value import Kind, Value

#: Of the items of a sequence, as many are operands that are alike as far as devices go, once there
#: are more: each meets each.
MANY = 24
ALIKE = 2


def operands(
    machine: Run, fact: effect.Fact, arguments: Arguments, *, is_pointwise: bool
) -> list[Operand]:
    """The arguments that meet, items of sequences one by one."""
    found: list[Operand] = []
    listed = signature(fact.signature)
    in_place = getattr(fact, "in_place", False)
    bound = list(arguments.bound(listed))
    for index, (parameter, argument) in enumerate(bound):
        if not parameter.is_operand or is_read(parameter, argument, bound):
            continue
        may_be_scalar = is_pointwise or parameter.mark is Mark.SCALAR_EXEMPT
        pairs = spread(machine, parameter, argument)
        machine.tensors.update(value.ref for _, value in pairs if value.kind is Kind.UNKNOWN)
        is_item = len(pairs) > 1 and pairs[0][0] is pairs[1][0]
        for pair in pairs:
            if operations.is_tensor(pair[1]):
                is_target = in_place and index == 0
                operand = operations.operand(pair, may_be_scalar and not is_target)
                role = losses.role(listed, parameter)
                is_open = parameter.may_be_number
                found.append(replace(operand, role=role, is_item=is_item, may_be_number=is_open))
    out = arguments.keywords.get("out")
    if out is not None and operations.is_tensor(out.value):
        found.append(Operand(out.node, written(out.node), out.value))
    return found


def is_read(
    parameter: Parameter, argument: Argument, bound: list[tuple[Parameter, Argument]]
) -> bool:
    """A 0-dim bound beside one that is, or may be, a number: `clamp(x, 0, t)` reads `t`."""
    if parameter.mark is not Mark.BOUND or argument.value.is_scalar is False:
        return False
    others = [each.value for to, each in bound if to.mark is Mark.BOUND and to is not parameter]
    return any(other.kind is not Kind.TENSOR and not other.is_none for other in others)


def spread(machine: Run, parameter: Parameter, argument: Argument) -> list[operations.Pair]:
    node, value = argument.node, argument.value
    if not parameter.is_sequence or value.kind is not Kind.CONTAINER:
        return [(node, value)]
    items = machine.instance(value.ref).items
    if isinstance(node, ir.Display):
        pairs = [
            (part, items.get(ItemKey(i), items.get(ItemKey(part))))
            for i, part in enumerate(node.items)
        ]
        return few([(part, item) for part, item in pairs if item is not None])
    known = all_of(machine, value)
    given = [replace(value, kind=Kind.TENSOR)] if value.device.is_known or not known else []
    return few([(node, item) for item in (*given, *known)])


def few(pairs: list[operations.Pair]) -> list[operations.Pair]:
    """Pairs that tell as much as all of them."""
    if len(pairs) <= MANY:
        return pairs
    kept: list[operations.Pair] = []
    for node, value in pairs:
        if sum(are_alike(value, other) for _, other in kept) < ALIKE:
            kept.append((node, value))
    return kept


def are_alike(one: Value, other: Value) -> bool:
    """Whether two values, wherever they come from, meet others in the same way."""
    return (
        one.device == other.device
        and one.kind is other.kind
        and one.tags == other.tags
        and one.source == other.source
        and one.is_scalar is other.is_scalar
    )
