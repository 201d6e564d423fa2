"""Keys of expressions: equal for those that give the same."""

from __future__ import annotations

from collections.abc import Hashable

from devlint.interpret.core.interpreter import Run
from devlint.lower import ir
from devlint.queries.dotted_names import last_word
from devlint.values.condition import Condition
from devlint.values.value import Kind, Value

#: Calls that give the same when they are written the same.
PURE = frozenset(
    "is_available device_count isinstance issubclass hasattr getattr type is_tensor".split()
)


def key_of(machine: Run, node: ir.Expression | None) -> Hashable:
    """Equal for expressions that give the same; names count as the values bound to them."""
    if isinstance(node, ir.Name):
        return value_key(machine, held(machine, node), node.id)
    if isinstance(node, ir.Attribute):
        attribute = held_attribute(machine, node)
        if attribute is not None:
            return value_key(machine, attribute, node.name)
        whole = key_of(machine, node.value)
        return f"{whole}.{node.name}" if isinstance(whole, str) else (".", whole, node.name)
    if isinstance(node, ir.Constant):
        return ("constant", repr(node.value))
    parts = structure(node)
    if parts is None:
        return ("node", node)
    name, operands = parts
    return (name, *(key_of(machine, operand) for operand in operands))


def is_of_round(test: Condition) -> bool:
    """Whether a test may come out otherwise in the next round of a loop though nothing that it
    names is bound anew: it calls something."""
    pending = [test.key]
    while pending:
        key = pending.pop()
        if isinstance(key, tuple):
            if key[:1] == ("node",):
                return True
            pending += key
    return False


def value_key(machine: Run, value: Value | None, name: str) -> Hashable:
    if value is None:
        return name
    if value.kind is Kind.IMPORTED:
        return str(value.payload)
    if value.kind is Kind.CONSTANT:
        return ("constant", repr(value.payload))
    return ("value", machine.number_of(value))


def held(machine: Run, node: ir.Expression) -> Value | None:
    """What a name or an attribute of a named object stands for; of what is imported, that."""
    if isinstance(node, ir.Name):
        value = machine.lookup(node.id)
        is_imported = value is not None and value.kind is Kind.IMPORTED
        return machine.evaluate(node) if is_imported else value
    return held_attribute(machine, node) if isinstance(node, ir.Attribute) else None


def held_attribute(machine: Run, node: ir.Attribute) -> Value | None:
    if isinstance(node.value, ir.Name):
        whole = machine.lookup(node.value.id)
        if whole is not None and whole.ref is not None:
            return machine.instance(whole.ref).attributes.get(node.name)
    return None


def structure(node: ir.Expression | None) -> tuple[str, tuple[ir.Expression, ...]] | None:
    """The operator of an expression and its operands, for the forms that tests are made of."""
    if isinstance(node, ir.Unary):
        return node.op, (node.operand,)
    if isinstance(node, ir.Binary):
        return node.op, (node.left, node.right)
    if isinstance(node, ir.Logic):
        return node.op, node.values
    if isinstance(node, ir.Compare):
        return " ".join(node.ops), (node.left, *node.comparators)
    if isinstance(node, ir.Subscript):
        return "[]", (node.value, node.index)
    if isinstance(node, ir.Call) and last_word(node.func) in PURE:
        names = ",".join(str(name) for name, _ in node.keywords)
        return f"({names})", (node.func, *node.args, *(value for _, value in node.keywords))
    return None
