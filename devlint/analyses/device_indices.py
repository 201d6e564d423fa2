"""How a program loses the index of a device, and what it compares devices with."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from devlint.analyses.device_literals import hard_coded, says_device
from devlint.event import DeviceText, Event, IndexLoss, IndexLost
from devlint.interpret.core.branch_conditions import path
from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.queries.name_conventions import names_configuration, written
from devlint.values.device import Like, named
from devlint.values.value import Kind, Value

#: Methods by which a class says itself how it is moved.
OWN = frozenset({"to", "_apply", "cuda"})


class Portability:
    """Looks at a program for what only opt-in rules ask for."""

    def __init__(
        self,
        module: ir.Module,
        emit: Callable[[Event], None],
        evaluate: Callable[[ir.Expression], Value],
    ) -> None:
        self.module = module
        self.emit = emit
        self.evaluate = evaluate

    def compare(self, node: ir.Compare) -> None:
        if node.ops[0] not in ("==", "!="):
            return
        sides = (node.left, node.comparators[0])
        for device, other in (sides, sides[::-1]):
            text = other.value if isinstance(other, ir.Constant) else None
            if isinstance(text, str) and named(text) is not None and self.is_device(device):
                self.emit(DeviceText(node, written(device), text))

    def is_device(self, node: ir.Expression) -> bool:
        """Whether an expression is a `torch.device` for sure: `x.device` of what is a tensor."""
        if isinstance(node, ir.Call):
            return written(node.func) == "torch.device"
        if not isinstance(node, ir.Attribute) or node.name != "device":
            return False
        if not isinstance(node.value, ir.Name) or names_configuration(node.value.id):
            return False
        whole = self.evaluate(node.value)
        is_foreign = any(isinstance(atom, Like) for atom in whole.device.atoms)
        return whole.kind is Kind.TENSOR or is_foreign

    def finish(self) -> None:
        for literal in hard_coded(self.module):
            self.emit(literal)
        for loss in lost(self.module):
            self.emit(loss)


def lost(module: ir.Module) -> Iterator[IndexLost]:
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


def round_trip(node: ir.Call) -> Iterator[IndexLost]:
    """`f(x.cpu()).cuda()`"""
    calls = [each for each in walk(node.func) if isinstance(each, ir.Call)]
    for call in calls if is_bare_move(node) else ():
        if isinstance(call.func, ir.Attribute) and call.func.name == "cpu":
            other = written(call.func.value)
            yield IndexLost(node, IndexLoss.ROUND_TRIP, written(node), other, call)
            return


def likewise(node: ir.If) -> Iterator[IndexLost]:
    """`if x.is_cuda: y = y.cuda()`"""
    if not isinstance(node.test, ir.Attribute) or node.test.name != "is_cuda":
        return
    other = written(node.test.value)
    if other == "self":  # A flag of the program's own.
        return
    for statement in node.body:
        for call in walk(statement):
            if is_bare_move(call) and isinstance(call, ir.Call):
                yield IndexLost(call, IndexLoss.LIKEWISE, written(call), other, node.test)


def kept(node: ir.Class) -> Iterator[IndexLost]:
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
            yield IndexLost(used, IndexLoss.CACHED, written(used.func), f"self.{name}", assignment)


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
    return len(names) == 2 and names[0] == "self" and says_device(names[1])


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
