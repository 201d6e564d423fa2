"""How a program loses the index of a device."""

from __future__ import annotations

from collections.abc import Iterator

from devlint.api import (
    Analysis,
    Ended,
    Problem,
    Run,
    ir,
    names_device_variable,
    on,
    path,
    walk,
    written,
)

#: Methods by which a class says itself how it is moved.
OWN = frozenset({"to", "_apply", "cuda"})


class LostIndices(Analysis[Run]):
    """Reports what goes to a device that need not be the one where it belongs."""

    @on(Ended)
    def end(self, signal: Ended) -> None:
        for problem in lost(self.run.module):
            self.run.report(self, problem)


def lost(module: ir.Module) -> Iterator[Problem]:
    for each in walk(module):
        if isinstance(each, ir.Call):
            yield from round_trip(each)
        elif isinstance(each, ir.If):
            yield from likewise(each)
        elif isinstance(each, ir.Class):
            yield from kept(each)


def is_bare_move(node: ir.Node) -> bool:
    """`x.cuda()`"""
    return (
        isinstance(node, ir.Call)
        and isinstance(node.func, ir.Attribute)
        and node.func.name == "cuda"
        and not node.args
        and not node.keywords
    )


def to_current(move: ir.Call) -> str:
    return f"`{written(move)}` goes to the current accelerator, which need not be the one"


def round_trip(node: ir.Call) -> Iterator[Problem]:
    """`f(x.cpu()).cuda()`"""
    calls = [each for each in walk(node.func) if isinstance(each, ir.Call)]
    for call in calls if is_bare_move(node) else ():
        if isinstance(call.func, ir.Attribute) and call.func.name == "cpu":
            message = f"{to_current(node)} that `{written(call.func.value)}` came from"
            yield Problem(node, message, ((call, "it leaves its device here"),))
            return


def likewise(node: ir.If) -> Iterator[Problem]:
    """`if x.is_cuda: y = y.cuda()`"""
    if not isinstance(node.test, ir.Attribute) or node.test.name != "is_cuda":
        return
    other = written(node.test.value)
    if other == "self":  # A flag of the program's own.
        return
    for statement in node.body:
        for call in walk(statement):
            if is_bare_move(call) and isinstance(call, ir.Call):
                message = f"{to_current(call)} of `{other}`: use `.to({other}.device)`"
                yield Problem(call, message, ((node.test, "the device is known here"),))


def kept(node: ir.Class) -> Iterator[Problem]:
    """A device that a module keeps from its construction on, and uses for its inputs."""
    methods = {each.name: each for each in node.body if isinstance(each, ir.Def)}
    init = methods.get("__init__")
    is_module = node.bases and "forward" in methods and OWN.isdisjoint(methods)
    if init is None or not is_module:
        return
    others = [method for name, method in methods.items() if name != "__init__"]
    for name, assignment in kept_devices(init):
        if any(name in method.stores for method in others) or name in methods:
            continue
        if any(is_optional(method, name) for method in others):
            continue
        used = next((call for method in others for call in uses(method, name)), None)
        if used is not None:
            message = (
                f"`{written(used.func)}` uses `self.{name}`, which the module keeps from its "
                "construction on: it is stale after `.to(...)`"
            )
            yield Problem(used, message, ((assignment, "the device is kept here"),))


def is_optional(method: ir.Def, name: str) -> bool:
    """`if self.device is not None`: a device on purpose, apart from the module's."""
    tests = (each for each in walk(method) if isinstance(each, ir.Compare))
    return any(path(test.left) == ["self", name] and "is" in test.ops[0] for test in tests)


def kept_devices(init: ir.Def) -> Iterator[tuple[str, ir.Assign]]:
    for each in walk(init):
        if isinstance(each, ir.Assign):
            names = [path(target) for target in each.targets if isinstance(target, ir.Attribute)]
            yield from ((n[1], each) for n in names if is_kept(n))


def is_kept(names: list[str]) -> bool:
    """`self.device`"""
    return len(names) == 2 and names[0] == "self" and names_device_variable(names[1])


def uses(method: ir.Def, name: str) -> Iterator[ir.Call]:
    """The calls that put something on the device in an attribute."""
    for each in walk(method):
        if isinstance(each, ir.Call):
            is_move = isinstance(each.func, ir.Attribute) and each.func.name in ("to", "cuda")
            given = [*(each.args[:1] if is_move else ())]
            given += [value for key, value in each.keywords if key == "device"]
            if any(path(value) == ["self", name] for value in given if is_dotted(value)):
                yield each


def is_dotted(node: ir.Expression) -> bool:
    return isinstance(node, ir.Attribute) and isinstance(node.value, ir.Name)
