"""What the text of a module shows of its functions: that one does nothing itself, and which choices
all calls of it make alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from devlint.lower import ir
from devlint.lower.walk import by_type, walk
from devlint.queries.loop_moves import names
from devlint.queries.name_conventions import is_main_guard

#: What runs several times, or by itself.
INNER = (ir.For, ir.While, ir.Comprehension, ir.Def, ir.Class, ir.Lambda)


def only_hands_on(function: ir.Def) -> bool:
    """Whether a function has no loop, defines nothing, and calls nothing but functions by their
    names."""
    own = {parameter.name for parameter in function.params}
    called = []
    for node in (inner for statement in function.body for inner in walk(statement)):
        if isinstance(node, INNER):
            return False
        if isinstance(node, ir.Assign):
            own.update(name for target in node.targets for name in names(target))
        elif isinstance(node, ir.Call):
            called.append(node.func)
    return all(isinstance(func, ir.Name) and func.id not in own for func in called)


def guarded_calls(module: ir.Module) -> frozenset[ir.Call]:
    """The calls that are only made where the module is the program that runs."""
    guarded = (each for each in module.body if isinstance(each, ir.If))
    bodies = (each.body for each in guarded if is_main_guard(each.test))
    nodes = (node for body in bodies for each in body for node in walk(each))
    return frozenset(node for node in nodes if isinstance(node, ir.Call))


def bare(module: ir.Module) -> frozenset[ir.Def]:
    """The functions of a module that no decorator changes."""
    return frozenset(e for e in module.body if isinstance(e, ir.Def) and not e.decorators)


def called(module: ir.Module) -> Mapping[str, list[ir.Call] | None]:
    """The calls of what a module names; None of what it does something else with."""
    nodes = by_type(module)
    named = Counter(each.id for each in nodes[ir.Name])
    calls: dict[str, list[ir.Call]] = {name: [] for name in named}
    for call in nodes[ir.Call]:
        if isinstance(call.func, ir.Name):
            calls[call.func.id].append(call)
    return {name: each if named[name] == len(each) else None for name, each in calls.items()}


def attributes(module: ir.Module) -> frozenset[str]:
    """The names of attributes, some of which may be functions of other modules."""
    return frozenset(each.name for each in by_type(module)[ir.Attribute])


def chosen(function: ir.Def, calls: list[ir.Call]) -> Iterator[tuple[str, ir.Constant]]:
    """The texts and flags that all calls of a function give for a parameter, or leave to its
    default."""
    for index, parameter in enumerate(function.params):
        given = [argument(call, index, parameter) for call in calls]
        constants = [each for each in given if isinstance(each, ir.Constant)]
        values = {each.value for each in constants}
        if len(constants) == len(given) and len(values) == 1 and is_choice(*values):
            yield parameter.name, constants[0]


def is_choice(value: ir.Literal) -> bool:
    return isinstance(value, (str, bool))


def argument(call: ir.Call, index: int, parameter: ir.Parameter) -> ir.Expression | None:
    """What a call gives for a parameter, as far as it is written out."""
    keywords = dict(call.keywords)
    if None in keywords or any(isinstance(each, ir.Starred) for each in call.args):
        return None
    if parameter.name in keywords:
        return keywords[parameter.name]
    is_positional = parameter.kind in ("positional", "plain") and index < len(call.args)
    return call.args[index] if is_positional else parameter.default
