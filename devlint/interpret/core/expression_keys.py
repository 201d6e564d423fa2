"""Keys of expressions: equal for those that give the same."""

from __future__ import annotations

from collections.abc import Hashable

from devlint.interpret.core.interpreter import Run
from devlint.lower import ir
from devlint.queries.dotted_names import last_word
from devlint.values.condition import Condition
from devlint.values.instance import ItemKey, Sought
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
    if isinstance(node, ir.Subscript) and (test := held_test(machine, node)) is not None:
        return value_key(machine, test, "")
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
    return not is_settled(test.key)


def is_settled(key: Hashable) -> bool:
    """Whether nothing that a key stands for may be another each time that it is evaluated."""
    pending = [key]
    while pending:
        key = pending.pop()
        if isinstance(key, tuple):
            if key[:1] == ("node",):
                return False
            pending += key
    return True


def sought(machine: Run, index: ir.Expression) -> ItemKey | None:
    """The key of an item by how its index is written; None where that may give another each time.
    Numbers of values are those of one run."""
    key = key_of(machine, index)
    return ItemKey(Sought(key, machine.home.module)) if is_settled(key) else None


def value_key(machine: Run, value: Value | None, name: str) -> Hashable:
    if value is None:
        return name
    if value.kind is Kind.IMPORTED:
        return str(value.payload)
    if value.kind is Kind.CONSTANT:
        return ("constant", repr(value.payload))
    return ("value", machine.number_of(value))


def held(machine: Run, node: ir.Expression) -> Value | None:
    """What a name, or an attribute or item of a named object, stands for; of what is imported,
    that."""
    if isinstance(node, ir.Name):
        value = machine.lookup(node.id)
        is_imported = value is not None and value.kind is Kind.IMPORTED
        return machine.evaluate(node) if is_imported else value
    if isinstance(node, ir.Subscript):
        return held_test(machine, node)
    return held_attribute(machine, node) if isinstance(node, ir.Attribute) else None


def held_test(machine: Run, node: ir.Subscript) -> Value | None:
    """The test that was put under a name into a container: `options["cuda"] = args.cuda`."""
    whole = held(machine, node.value)
    if whole is None or whole.ref is None or not isinstance(node.index, ir.Constant):
        return None
    found = machine.instance(whole.ref).items.get(ItemKey(node.index.value))
    return found if found is not None and isinstance(found.payload, Condition) else None


def held_attribute(machine: Run, node: ir.Attribute) -> Value | None:
    """That of an object, or what a module of the project knows under its name."""
    whole = machine.lookup(node.value.id) if isinstance(node.value, ir.Name) else None
    if whole is not None and whole.ref is not None:
        return machine.instance(whole.ref).attributes.get(node.name)
    if whole is None or whole.kind is not Kind.IMPORTED:
        return None
    found = machine.evaluate(node)
    return found if isinstance(found.payload, (bool, Condition)) else None


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
    if isinstance(node, ir.Display) and node.kind == "tuple":
        return "tuple", node.items
    if isinstance(node, ir.Call) and last_word(node.func) in PURE:
        names = ",".join(str(name) for name, _ in node.keywords)
        return f"({names})", (node.func, *node.args, *(value for _, value in node.keywords))
    return None
