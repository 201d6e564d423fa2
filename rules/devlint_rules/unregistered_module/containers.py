"""How the text of a class fills and uses what may be containers of modules."""

from __future__ import annotations

from collections.abc import Iterator, Set

from devlint.api import (
    ClassInfo,
    class_summary,
    ir,
    is_self,
    names_use,
    walk,
    written,
)

#: What goes through a list and keeps nothing of it.
PASSES = frozenset(
    "len enumerate zip range reversed list tuple iter sorted print isinstance".split()
)
MOVES = frozenset({"to", "cuda"})
#: Methods that add to a container.
ADDS = frozenset("append extend insert add update".split())


def may_hold_modules(owner: ClassInfo) -> bool:
    """Whether `__init__` sets an attribute to what may be a container of modules."""
    init = owner.methods.get("__init__")
    if not owner.is_module or init is None or not isinstance(init.node, ir.Def):
        return False
    statements = [*stated(init.node.body), *added(init.node.body)]
    made = {t.id for t, v in statements if isinstance(t, ir.Name) and isinstance(v, ir.Call)}
    listed = {t.id for t, v in statements if isinstance(t, ir.Name) and holds(v, made)}
    listed |= {parameter.name for parameter in init.node.params if parameter.kind == "*"}
    return any(
        holds(value, made) or (isinstance(value, ir.Name) and value.id in listed)
        for target, value in statements
        if isinstance(target, ir.Attribute)
    )


def stated(block: tuple[ir.Node, ...]) -> Iterator[tuple[ir.Expression, ir.Expression]]:
    """What statements assign to names and attributes."""
    for statement in block:
        if isinstance(statement, ir.Assign):
            yield from ((target, statement.value) for target in statement.targets)
        elif isinstance(statement, (ir.If, ir.For, ir.While)):
            yield from stated((*statement.body, *statement.orelse))
        elif isinstance(statement, (ir.With, ir.Try)):
            yield from stated(statement.body)


def assigned(block: tuple[ir.Node, ...]) -> Iterator[tuple[ir.Attribute, ir.Expression]]:
    """The attributes of `self` that statements assign, with the values."""
    for target, value in stated(block):
        if isinstance(target, ir.Attribute) and is_self(target.value):
            yield target, value


def added(block: tuple[ir.Node, ...]) -> Iterator[tuple[ir.Expression, ir.Expression]]:
    """What statements append to names and attributes, as lists."""
    for statement in block:
        if isinstance(statement, ir.Evaluate) and isinstance(statement.value, ir.Call):
            call = statement.value
            if isinstance(call.func, ir.Attribute) and call.func.name in ADDS:
                yield call.func.value, ir.Display(None, "list", call.args)
        elif isinstance(statement, (ir.If, ir.For, ir.While)):
            yield from added((*statement.body, *statement.orelse))


def holds(value: ir.Expression, made: Set[str]) -> bool:
    """Whether it is a container of what may be modules."""
    items: tuple[ir.Expression, ...] = ()
    if isinstance(value, ir.Comprehension):
        items = (value.element,)
    elif isinstance(value, ir.Display):
        items = value.items
    elif isinstance(value, ir.Mapping):
        items = value.values
    return any(isinstance(i, ir.Call) or (isinstance(i, ir.Name) and i.id in made) for i in items)


def assignment(owner: ClassInfo, name: str) -> ir.Attribute | None:
    """The statement that sets the attribute, if it is to a container that may be meant to be
    registered: one of a single module hides it on purpose."""
    sites = [
        (target, value)
        for method in class_summary.methods(owner).values()
        for target, value in assigned(method.body)
        if target.name == name
    ]
    if len(sites) != 1 or is_single(sites[0][1]):
        return None
    return sites[0][0]


def is_single(value: ir.Expression) -> bool:
    return isinstance(value, ir.Display) and len(value.items) == 1


def passed(owner: ClassInfo) -> Iterator[str]:
    """The attributes that are handed to a call, by their own names or by those of locals."""
    for method in class_summary.methods(owner).values():
        given = set[str]()
        for node in walk(method):
            if isinstance(node, ir.Call) and not passes(node):
                given.update(map(named, (*node.args, *(value for _, value in node.keywords))))
        given.discard("")
        yield from given
        yield from (t.name for t, value in assigned(method.body) if named(value) in given)


def passes(call: ir.Call) -> bool:
    if isinstance(call.func, ir.Name):
        return call.func.id in PASSES
    return isinstance(call.func, ir.Attribute) and call.func.name in ADDS


def named(node: ir.Expression) -> str:
    """The name of a local or of an attribute of `self`."""
    if isinstance(node, ir.Starred):
        return named(node.value)
    if isinstance(node, ir.Attribute) and is_self(node.value):
        return node.name
    return node.id if isinstance(node, ir.Name) else ""


def uses(owner: ClassInfo, name: str, reached: Set[str]) -> Iterator[ir.Call]:
    """The calls of what is in the attribute, in methods that a call of the module comes to."""
    for method_name, method in class_summary.methods(owner).items():
        if method_name not in reached or name not in method.words:
            continue
        nodes = list(walk(method))
        items = {target for node in nodes for target in drawn(node, name)}
        calls = [n for n in nodes if isinstance(n, ir.Call) and is_item(n.func, name, items)]
        if any(isinstance(call.func, ir.Attribute) and call.func.name in MOVES for call in calls):
            return
        yield from (call for call in calls if is_use(call))


def drawn(node: ir.Node, name: str) -> Iterator[str]:
    """The names that a loop or an assignment binds to what is in the attribute."""
    if isinstance(node, (ir.For, ir.Clause)) and mentions(node.iter, name):
        yield from (n.id for n in walk(node.target) if isinstance(n, ir.Name))
    if isinstance(node, ir.Assign) and isinstance(node.value, ir.Subscript):
        targets = node.targets if mentions(node.value.value, name) else ()
        yield from (target.id for target in targets if isinstance(target, ir.Name))


def mentions(node: ir.Node, name: str) -> bool:
    return any(isinstance(n, ir.Attribute) and named(n) == name for n in walk(node))


def is_item(func: ir.Expression, name: str, items: Set[str]) -> bool:
    """Whether what is called is an item of the attribute, or one of its methods."""
    if isinstance(func, ir.Attribute):
        return is_item(func.value, name, items)
    if isinstance(func, ir.Subscript):
        return named(func.value) == name
    return isinstance(func, ir.Name) and func.id in items


def is_use(call: ir.Call) -> bool:
    return not isinstance(call.func, ir.Attribute) or names_use(call.func.name)


def container(owner: ClassInfo, site: ir.Attribute) -> str | None:
    """How the program writes what registers the modules: `nn.ModuleList`, beside `nn.Module`."""
    function = class_summary.enclosing_method(owner, site)
    bases = [base for each in owner.line for base in each.node.bases]
    spelled = [
        written(b.value) for b in bases if isinstance(b, ir.Attribute) and b.name == "Module"
    ]
    if function is None or not spelled or not class_summary.is_initialised_before(function, site):
        return None
    statements = list(stated(function.body))
    value = next(value for target, value in statements if target is site)
    if isinstance(value, ir.Name):
        rest = {parameter.name for parameter in function.params if parameter.kind == "*"}
        made = [v for t, v in statements if isinstance(t, ir.Name) and t.id == value.id]
        is_list = value.id in rest or (bool(made) and all(map(is_sequence, made)))
    else:
        is_list = is_sequence(value)
    if not is_list and not has_words_for_keys(value):
        return None
    return f"{spelled[0]}.{'ModuleList' if is_list else 'ModuleDict'}"


def is_sequence(value: ir.Expression) -> bool:
    if isinstance(value, ir.Comprehension):
        return value.kind == "list"
    return isinstance(value, ir.Display) and value.kind != "set"


def has_words_for_keys(value: ir.Expression) -> bool:
    return isinstance(value, ir.Mapping) and all(
        isinstance(key, ir.Constant) and isinstance(key.value, str) for key in value.keys
    )
