"""What functions and classes are where they are defined."""

from __future__ import annotations

from collections.abc import Hashable, Set

from devlint.interpret.core.class_summary import derives_from_module
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.scopes import ClassInfo, Frame, Function, setter_name
from devlint.lower import ir
from devlint.queries.name_conventions import written
from devlint.values.value import NOTHING, Kind, Value

#: Those of generators that stop at what they yield until the block of a `with` ends.
MANAGERS = frozenset({"contextmanager", "asynccontextmanager"})
SETTERS = frozenset({"setter"})
#: Decorators of what stands beside a method of its name.
REPEATS = frozenset({"deleter", "overload"})
#: Decorators that leave what a function returns where it is.
TRANSPARENT_DECORATORS = MANAGERS | frozenset(
    {
        "staticmethod",
        "classmethod",
        "property",
        "no_grad",
        "inference_mode",
        "enable_grad",
        "cached_property",
        "cache",
        "lru_cache",
        "wraps",
        "abstractmethod",
        "override",
        "overload",
        "compile",
        "jit",
        "script",
        "autocast",
        "profile",
        "setter",
    }
)


def definition(machine: Run, node: ir.Def) -> None:
    frame = machine.frame
    outer = frame.parent or frame if frame.is_class_body else frame
    is_inner = frame is not machine.top and not frame.is_class_body
    if is_inner:
        frame.since[node], machine.state = machine.here(), machine.here().fork()
    wrappers = [machine.evaluate(decorator).payload for decorator in node.decorators]
    is_wrapped = frame.is_class_body and any(may_move(machine, each) for each in wrappers)
    function = Function(node, outer, frame.owner, is_inner, is_wrapped)
    frame.defined.append(function)
    value = Value(Kind.FUNCTION, payload=function)
    for parameter in node.params:
        if (default := variable_default(parameter)) is not None:
            machine.here().put(default_key(parameter), machine.evaluate(default))
    if frame.is_class_body and frame.owner is not None:
        if is_decorated(function, SETTERS):
            frame.owner.methods[setter_name(node.name)] = function
        elif not (node.name in frame.owner.methods and is_decorated(function, REPEATS)):
            frame.owner.methods[node.name] = function
        machine.bind(node.name, value)  # It may decorate those behind it.
        return
    machine.bind(node.name, value if is_transparent(node) else NOTHING)


def may_move(machine: Run, called: object) -> bool:
    """Whether something is a function in view that may move something."""
    if not isinstance(called, Function) or not isinstance(called.node, ir.Def):
        return False
    return machine.view_at(called.frame).seeds.may_move(called.node.words)


def variable_default(parameter: ir.Parameter) -> ir.Expression | None:
    """A default that is no constant."""
    return None if isinstance(parameter.default, ir.Constant) else parameter.default


def kept_default(machine: Run, parameter: ir.Parameter) -> Value | None:
    """What a parameter takes by default since its function was defined, unless it is a constant."""
    is_kept = variable_default(parameter) is not None
    kept = machine.here().get(default_key(parameter)) if is_kept else None
    return kept if isinstance(kept, Value) else None


def default_key(parameter: ir.Parameter) -> Hashable:
    """The key of the cell with what a parameter takes by default."""
    return ("default", parameter)


def is_transparent(node: ir.Def) -> bool:
    """Whether calls of the function may be taken as calls of what is written."""
    return all(decorator_name(d) in TRANSPARENT_DECORATORS for d in node.decorators)


def is_decorated(function: Function, names: Set[str]) -> bool:
    node = function.node
    return isinstance(node, ir.Def) and any(decorator_name(d) in names for d in node.decorators)


def decorator_name(node: ir.Expression) -> str:
    while isinstance(node, ir.Call):
        node = node.func
    return written(node).rpartition(".")[2]


def imported_type(machine: Run, parameter: ir.Parameter) -> str:
    """The dotted name of what a parameter is annotated as, if the program imports that."""
    if not isinstance(parameter.annotation, (ir.Name, ir.Attribute)):
        return ""
    type_ = machine.evaluate(parameter.annotation)
    return str(type_.payload) if type_.kind is Kind.IMPORTED else ""


def class_definition(machine: Run, node: ir.Class) -> None:
    bases = tuple(machine.evaluate(base) for base in node.bases)
    for _, value in node.keywords:
        machine.evaluate(value)
    outer, before = machine.frame, machine.here()
    owner = ClassInfo(node, outer, bases, is_module=False)
    body = Frame(parent=outer, path=outer.path, owner=owner, is_class_body=True)
    machine.frame = body
    machine.run(node.body)
    machine.frame = outer
    machine.state = machine.state or before  # A body may raise on purpose.
    owner.is_module = derives_from_module(machine, owner)
    for name in sorted(body.names):
        held = machine.state.get((body, name))
        if isinstance(held, Value):
            owner.attributes[name] = held
            if isinstance(held.payload, Function) and held.payload.owner is owner:
                owner.methods.setdefault(name, held.payload)  # `forward = _forward`
    outer.defined.append(owner)
    machine.bind(node.name, Value(Kind.CLASS, payload=owner))
