"""Whether functions of a file call one with what they are given, or with what they have made."""

from __future__ import annotations

from collections.abc import Iterator

from devlint.api import Run, gone_through_as_records, ir, last_word, walk

#: So many calls are followed back.
CALLS = 4


def is_fed_by_file(run: Run, function: ir.Def, above: tuple[ir.Def, ...] = ()) -> bool:
    """Whether a function comes by arguments that a function of the file makes or gets itself, and
    does not only hand on. Methods of one name, as those of several classes, count as one."""
    return any(
        len(above) == CALLS
        or function.name not in run.once(handed_on, caller)
        or is_fed_by_file(run, caller, (*above, function))
        for caller in run.seeds.callers(function)
        if caller.name not in {each.name for each in (*above, function)}
    )


def handed_on(function: ir.Def) -> frozenset[str]:
    """The names of the functions that one calls, each time with nothing but what it is given
    itself, or what has been taken of that; records are data."""
    given = {each.name for each in function.params} - gone_through_as_records(function)
    assignments = [each for each in walk(function) if isinstance(each, ir.Assign)]
    for each in assignments:
        names = {target.id for target in each.targets if isinstance(target, ir.Name)}
        given = given | names if is_of(each.value, given) else given - names
    calls: dict[str, bool] = {}
    for call in (each for each in walk(function) if isinstance(each, ir.Call)):
        name = last_word(call.func)
        calls[name] = calls.get(name, True) and all(is_of(each, given) for each in passed(call))
    return frozenset(name for name, is_plain in calls.items() if is_plain)


def passed(call: ir.Call) -> Iterator[ir.Expression]:
    yield from call.args
    yield from (value for _, value in call.keywords)


def is_of(node: ir.Expression, given: set[str]) -> bool:
    """Whether an expression is one of some names, a part of that or what its methods give; numbers
    and texts are nothing."""
    while not isinstance(node, (ir.Name, ir.Constant)):
        if isinstance(node, (ir.Attribute, ir.Subscript, ir.Starred)):
            node = node.value
        elif isinstance(node, ir.Call) and isinstance(node.func, ir.Attribute):
            node = node.func.value
        else:
            return False
    return isinstance(node, ir.Constant) or node.id in given
