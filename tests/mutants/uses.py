"""Where a finding has to point to be one on a mutation: the changed statements and their uses."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher

#: How far a name is followed into the parameters of functions in the same text.
CALLS = 3


def touched_lines(before: str, after: str) -> frozenset[int]:
    """Lines of `after`: changed statements, and those that use what a changed one names.

    Objects of a class in view are used by its methods.
    """
    old, new = changed_lines(before, after)
    tree = ast.parse(after)
    changed = [each for each in statements(tree) if new & extent(each)]
    gone = [each for each in statements(ast.parse(before)) if old & extent(each)]
    names = {name for each in (*changed, *gone) for name in subjects(each)}
    names |= set(returned(tree, new))
    for _ in range(CALLS):
        names |= set(parameters(tree, names))
    makers = [each for each in statements(tree) if names & set(subjects(each))]
    used = [each for each in statements(tree) if names & set(mentioned(each))]
    lines = {line for each in (*changed, *used) for line in extent(each)} | new
    return frozenset(lines.union(*map(span, made(tree, [*changed, *makers]))))


def returned(tree: ast.AST, lines: Iterable[int]) -> Iterator[str]:
    """Functions that return what changed, and what takes their results."""
    changed = set(lines)
    for function in functions(tree):
        if changed & span(function) and returns_change(function, changed):
            yield function.name
            for each in statements(tree):
                if function.name in mentioned(each):
                    yield from subjects(each)


def made(tree: ast.AST, makers: Sequence[ast.stmt]) -> list[ast.ClassDef]:
    """The classes of which statements make objects, and those whose objects are parts of them."""
    known = {each.name: each for each in ast.walk(tree) if isinstance(each, ast.ClassDef)}
    found: dict[str, ast.ClassDef] = {}
    rest: list[ast.AST] = [head for each in makers for head in heads(each)]
    while rest:
        for node in ast.walk(rest.pop()):
            name = node.id if isinstance(node, ast.Name) else ""
            if name in known and name not in found:
                found[name] = known[name]
                rest.append(known[name])
    return list(found.values())


def changed_lines(before: str, after: str) -> tuple[set[int], set[int]]:
    old: set[int] = set()
    new: set[int] = set()
    matcher = SequenceMatcher(None, before.split("\n"), after.split("\n"), autojunk=False)
    for kind, first, last, start, end in matcher.get_opcodes():
        if kind != "equal":
            old.update(range(first + 1, last + 1))
            new.update(range(start + 1, end + 1))
    return old, new


def statements(tree: ast.AST) -> Iterator[ast.stmt]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.stmt))


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node


def span(node: ast.stmt) -> set[int]:
    return set(range(node.lineno, (node.end_lineno or node.lineno) + 1))


def extent(node: ast.stmt) -> set[int]:
    """The lines of a statement; of a compound one those of its head."""
    body = getattr(node, "body", None)
    if not body:
        return span(node)
    return set(range(node.lineno, max(body[0].lineno, node.lineno + 1)))


def heads(node: ast.stmt) -> Iterator[ast.AST]:
    """The expressions that belong to a statement itself."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (ast.stmt, ast.ExceptHandler, ast.match_case)):
            yield child


def subjects(node: ast.stmt) -> Iterator[str]:
    """What a statement binds; of a call of a method, the receiver and the names it is given."""
    if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.For)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        yield from (name for target in targets for name in bound(target))
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield from called_on(node.value)
    elif isinstance(node, ast.With):
        for each in node.items:
            if each.optional_vars:
                yield from bound(each.optional_vars)


def called_on(call: ast.Call) -> Iterator[str]:
    if isinstance(call.func, ast.Attribute):
        yield from bound(call.func.value)
    if call.args and isinstance(call.args[0], ast.Constant) and isinstance(call.args[0].value, str):
        yield f".{call.args[0].value}"


def bound(target: ast.expr) -> Iterator[str]:
    """`x` for a name, `.x` for the last attribute of `self.a.x`; of a subscript, what it is of."""
    if isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, ast.Attribute):
        yield f".{target.attr}"
    elif isinstance(target, (ast.Tuple, ast.List)):
        yield from (name for each in target.elts for name in bound(each))
    elif isinstance(target, (ast.Subscript, ast.Starred)):
        yield from bound(target.value)
    elif isinstance(target, ast.Call):
        yield from called_on(target)


def mentioned(node: ast.stmt) -> Iterator[str]:
    for head in heads(node):
        for each in ast.walk(head):
            if isinstance(each, ast.Name):
                yield each.id
            elif isinstance(each, ast.Attribute):
                yield f".{each.attr}"


def returns_change(function: ast.FunctionDef | ast.AsyncFunctionDef, lines: Iterable[int]) -> bool:
    changed = set(lines)
    return any(
        isinstance(each, (ast.Return, ast.Expr)) and changed & extent(each)
        for each in statements(function)
    )


def parameters(tree: ast.AST, names: set[str]) -> Iterator[str]:
    """The parameters that calls of functions in view bind to one of the names."""
    known = {function.name: function for function in functions(tree)}
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        name = getattr(call.func, "id", getattr(call.func, "attr", ""))
        if name in known:
            yield from taken(call, known[name], names)


def taken(
    call: ast.Call, function: ast.FunctionDef | ast.AsyncFunctionDef, names: set[str]
) -> Iterator[str]:
    places = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
    if places[:1] == ["self"]:
        places = places[1:]
    for place, given in zip(places, call.args, strict=False):
        if names & set(bound(given)):
            yield place
    for keyword in call.keywords:
        if keyword.arg and names & set(bound(keyword.value)):
            yield keyword.arg
