"""What expressions give."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from devlint.facts.table import OPERATORS, UNARY
from devlint.interpret.calls import attributes, dispatch, named_attributes, special_methods
from devlint.interpret.calls.assignment import assign
from devlint.interpret.conditions import branch_conditions, device_answers
from devlint.interpret.core import batches, module_state
from devlint.interpret.core.containers import (
    add,
    container,
    element,
    is_empty,
    item,
    joined,
    put_last,
    sequence,
)
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.scopes import Function
from devlint.interpret.core.signals import (
    Branched,
    Compared,
    Comparing,
    Displayed,
)
from devlint.interpret.language.comprehensions import comprehension
from devlint.interpret.language.sequence_operators import SEQUENCE_OPERATORS
from devlint.interpret.language.slices import cut, of_some_round, slices
from devlint.interpret.objects import imported_modules
from devlint.interpret.tensors import indexing, mixtures, operations
from devlint.interpret.tensors.certain_tensors import are_compared, as_tensor
from devlint.lower import ir
from devlint.queries.tensor_evidence import has_axes
from devlint.values import texts
from devlint.values.dimensions import ARRAY
from devlint.values.instance import ANY, ItemKey
from devlint.values.tags import ParameterName
from devlint.values.value import NONE, NOTHING, Kind, Value, as_device

#: What `x or ..` gives in place of what is missing, wherever that is.
DEFAULTS = frozenset({Kind.MODULE, Kind.OBJECT, Kind.CONTAINER})


def name(machine: Run, node: ir.Name) -> Value:
    value = machine.lookup(node.id)
    if value is not None:
        if value.payload.__class__ is module_state.PartOf:
            return module_state.part(machine, value)
        if value.kind is Kind.IMPORTED:
            return imported_modules.resolved(machine, value)
        return batches.settled(machine, value)
    if (found := imported_modules.starred(machine, machine.view, node.id)) is not None:
        return found
    return imported_modules.unbound(node.id)


def constant(machine: Run, node: ir.Constant) -> Value:
    return attributes.known(machine, Value(Kind.CONSTANT, payload=node.value))


def text(machine: Run, node: ir.Text) -> Value:
    fields = [machine.evaluate(field) for field in node.fields]
    if (text := texts.written(node.pieces, fields)) is not None:
        return attributes.known(machine, text)
    return attributes.indexed_device(machine, node.start, fields)


def attribute(machine: Run, node: ir.Attribute) -> Value:
    return attributes.read(machine, node, machine.evaluate(node.value))


def subscript(machine: Run, node: ir.Subscript) -> Value:
    if (part := named_attributes.registered(machine, node)) is not None:
        return part
    whole = machine.evaluate(node.value)
    if whole.kind is Kind.CONTAINER and isinstance(node.index, ir.Slice):
        return cut(machine, whole, node.index, node)
    index = machine.evaluate(node.index)
    if operations.has_raised((whole,)):
        return whole
    operations.meet_array(machine, node, "indexing", (node.value, whole), (node.index, index))
    if indexing.is_table(machine, whole, index):
        return indexing.indexed(machine, node, whole, index)
    if whole.payload == batches.DATASET and isinstance(node.index, ir.Slice):
        return whole
    key = index.payload if index.kind is Kind.CONSTANT else None
    if (last := put_last(machine, whole, node.index)) is not None:
        return last
    if whole.kind is Kind.UNKNOWN and has_axes(node.index):
        machine.tensors.add(whole.ref)
        return indexing.sliced(node, whole)
    if (own := special_methods.item(machine, whole, index, node)) is not None:
        return own
    device = attributes.item_for_device(machine, node.value, whole, key)
    if device is not None:
        return device
    if index.kind is Kind.DEVICE and whole.kind is Kind.CONTAINER:
        return NOTHING  # It is kept for each device.
    found = of_some_round(machine, module_state.part(machine, item(machine, whole, key, node)))
    is_named = index.tag(ParameterName) is not None and found.kind is Kind.UNKNOWN
    return replace(found, kind=Kind.TENSOR, dimensions=ARRAY) if is_named else found


def unary(machine: Run, node: ir.Unary) -> Value:
    value = machine.evaluate(node.operand)
    if node.op == "not":
        return Value(Kind.CONDITION)
    method = special_methods.UNARY[node.op]
    if (own := special_methods.called(machine, node, value, method)) is not None:
        return own
    if value.kind is Kind.CONSTANT and node.op == "-" and isinstance(value.payload, (int, float)):
        return replace(value, payload=-value.payload)
    return operations.operated(machine, node, node.op, UNARY, [(node.operand, value)])


def binary(machine: Run, node: ir.Binary) -> Value:
    """Long chains lean to the left: they are walked, not recursed into."""
    chain = [node]
    while isinstance(chain[-1].left, ir.Binary):
        chain.append(chain[-1].left)
    left = machine.evaluate(chain[-1].left)
    for link in reversed(chain):
        right = machine.evaluate(link.right)
        sides = (link.left, left), (link.right, right)
        if (own := special_methods.operated(machine, link, link.op, *sides)) is not None:
            left = own
            continue
        of_lists = SEQUENCE_OPERATORS.get(link.op)
        if of_lists is not None and (made := of_lists(machine, link, left, right)) is not None:
            left = made
            continue
        left = operations.operated(machine, link, link.op, OPERATORS[link.op], [*sides])
    return left


def logic(machine: Run, node: ir.Logic) -> Value:
    values = [machine.evaluate(node.values[0])]
    given = values[0].payload if values[0].kind is Kind.CONSTANT else None
    if node.op == "or" and isinstance(given, str) and given:
        return values[0]  # What is given stands before what is taken by default.
    for before, value in zip(node.values, node.values[1:], strict=False):
        values.append(assumed(machine, before, node.op == "and", value))
    is_placed = any(value.device.is_known or as_device(value) is not None for value in values)
    is_default = node.op == "or" and values[-1].kind in DEFAULTS
    if not is_placed and not is_default:
        return Value(Kind.CONDITION)
    if node.op == "or" and (device := operations.given_or(values)) is not None:
        return Value(Kind.DEVICE, device)
    kept = (value for value in values if not is_empty(machine, value))
    return joined(value for value in kept if not (is_default and value.is_none))


def assumed(machine: Run, test: ir.Expression, truth: bool, then: ir.Expression) -> Value:
    """What an operand gives where the one before it was true (`and`) or false (`or`)."""
    if not isinstance(then, (ir.Call, ir.Compare)):
        return machine.evaluate(then)
    before, departures = machine.here(), machine.departures
    machine.state = machine.assuming(before, branch_conditions.condition(machine, test), truth)
    value = machine.evaluate(then)
    machine.meet(before, [machine.state, before.fork()], departures)
    return value


def compare(machine: Run, node: ir.Compare) -> Value:
    machine.publish(Comparing(node))
    left = machine.evaluate(node.left)
    others = [machine.evaluate(other) for other in node.comparators]
    sides = [(node.left, left), *zip(node.comparators, others, strict=True)]
    for op, one, other in zip(node.ops, sides, sides[1:], strict=False):
        if (own := special_methods.operated(machine, node, op, one, other)) is not None:
            return own
    if not OPERATORS.keys().isdisjoint(node.ops):
        sides = [(part, as_tensor(machine, part, value)) for part, value in sides]
    results = [
        operations.operated(machine, node, op, OPERATORS[op], [first, second])
        for op, first, second in zip(node.ops, sides, sides[1:], strict=False)
        if op in OPERATORS and are_compared(first[1], second[1])
    ]
    if results:
        return results[-1]
    if node.ops[0] in ("is", "is not"):
        machine.publish(Compared(node, left, others[0]))
    compared = next((v for _, v in sides if operations.is_tensor(v)), NOTHING)
    return Value(Kind.CONDITION, compared.device, origin=compared.origin)


def conditional(machine: Run, node: ir.Conditional) -> Value:
    test = branch_conditions.truth(machine, node.test)
    if isinstance(test, bool):
        return machine.evaluate(node.then if test else node.orelse)
    before, departures = machine.here(), machine.departures
    values = []
    ends = []
    for truth, arm in ((True, node.then), (False, node.orelse)):
        machine.state = machine.assuming(before, test, truth)
        values.append(machine.evaluate(arm))
        ends.append(machine.state)
    machine.meet(before, ends, departures, test)
    if (own := device_answers.where_asked(machine, node.test, *values)) is not None:
        return Value(Kind.DEVICE, own)
    joined = values[0].join(values[1], test)
    if joined.kind is Kind.DEVICE:
        joined = machine.revise(Branched(joined, node, test, (values[0], values[1])))
    if joined.depends():
        machine.splits.add(test)
    return joined


def display(machine: Run, node: ir.Display) -> Value:
    items: dict[ItemKey, Value] = {}
    is_counted = True
    values = []
    for part in node.items:
        inner = machine.evaluate(part.value) if isinstance(part, ir.Starred) else None
        held = None if inner is None else sequence(machine, inner)
        if is_counted and held is not None:
            items |= {ItemKey(len(items) + i): each for i, each in enumerate(held)}
            values.append(joined(held))
            continue
        values.append(machine.evaluate(part) if inner is None else element(machine, inner, part))
        is_counted = is_counted and inner is None
        items[ItemKey(len(items) if is_counted else part)] = values[-1]
    whole = mixtures.tied(container(machine, node, items), values)
    return machine.revise(Displayed(whole, node, node.items, values))


def mapping(machine: Run, node: ir.Mapping) -> Value:
    items: dict[ItemKey, Value] = {}
    values = list(map(machine.evaluate, node.values))
    for key, value in zip(node.keys, values, strict=True):
        if key is None:
            items.update(machine.instance(value.ref).items)
            continue
        index = machine.evaluate(key)
        items[ItemKey(index.payload) if index.kind is Kind.CONSTANT else ANY] = value
    whole = container(machine, node, items)
    return machine.revise(Displayed(whole, node, node.values, values))


def anonymous(machine: Run, node: ir.Lambda) -> Value:
    if not machine.frame.names.isdisjoint(machine.once(branch_conditions.names_in, node.body)):
        machine.frame.is_used_later = True
    return Value(Kind.FUNCTION, payload=Function(node, machine.frame))


def starred(machine: Run, node: ir.Starred) -> Value:
    return element(machine, machine.evaluate(node.value), node)


def awaited(machine: Run, node: ir.Await) -> Value:
    return machine.evaluate(node.value)


def yielded(machine: Run, node: ir.Yield) -> Value:
    frame = machine.frame
    value = NONE if node.value is None else machine.evaluate(node.value)
    if frame.yields is not None:
        add(machine, frame.yields, element(machine, value, node) if node.is_from else value, node)
    frame.paused, machine.state = machine.here(), machine.here().fork()
    return NOTHING


def walrus(machine: Run, node: ir.Walrus) -> Value:
    value = machine.evaluate(node.value)
    assign(machine, node.target, value)
    return value


EVALUATORS: dict[type, Callable[[Run, Any], Value]] = {
    ir.Name: name,
    ir.Constant: constant,
    ir.Text: text,
    ir.Attribute: attribute,
    ir.Subscript: subscript,
    ir.Slice: slices,
    ir.Call: dispatch.call,
    ir.Unary: unary,
    ir.Binary: binary,
    ir.Logic: logic,
    ir.Compare: compare,
    ir.Conditional: conditional,
    ir.Display: display,
    ir.Mapping: mapping,
    ir.Lambda: anonymous,
    ir.Comprehension: comprehension,
    ir.Starred: starred,
    ir.Await: awaited,
    ir.Yield: yielded,
    ir.Walrus: walrus,
}
