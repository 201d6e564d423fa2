"""Classes in view that derive from a layer or a container of PyTorch, or from a list or a dict."""

from __future__ import annotations

from dataclasses import replace

from devlint.facts.effect import Container, Fact, Layer
from devlint.facts.table import fact
from devlint.interpret.core.call import Argument, Arguments, Call
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.scopes import ClassInfo
from devlint.lower import ir
from devlint.values.value import Kind, Value

#: Methods of layers that those of classes which derive from them call.
INHERITED = frozenset({"__init__", "forward", "__call__"})
#: Python's own containers.
PLAIN = frozenset({"builtins.list", "builtins.dict", "collections.OrderedDict"})


def layer(owner: ClassInfo) -> Fact | None:
    """The layer or container that a class derives from."""
    name = layer_name(owner)
    return None if name is None else fact(name)


def layer_name(owner: ClassInfo) -> str | None:
    return next(filter(is_layer, owner.imported_bases), None)


def is_layer(name: str) -> bool:
    return isinstance(fact(name), (Layer, Container))


def is_plain_container(machine: Run, value: Value) -> bool:
    """Whether an object of a class in view is a list or a dict."""
    type_ = machine.instance(value.ref).type if value.kind is Kind.OBJECT else None
    return isinstance(type_, ClassInfo) and not PLAIN.isdisjoint(type_.imported_bases)


def inherited(machine: Run, owner: ClassInfo, receiver: Value, call: Call) -> Value | None:
    """What a method gives that an object has of the layer which its class derives from; a list or a
    dict is made as one."""
    base = layer_name(owner)
    if call.name == "__init__":
        base = base or next(filter(PLAIN.__contains__, owner.imported_bases), None)
    if base is None or call.name not in INHERITED:
        return None
    whole = Argument(call.node, receiver)
    arguments = replace(call.arguments, positional=(whole, *call.arguments.positional))
    method = Value(Kind.IMPORTED, payload=f"{base}.{call.name}")
    return machine.apply(call.node, method, arguments)


def library_type(machine: Run, type_: object) -> object:
    """The type of a module, or that of PyTorch's which its class in view derives from, if any."""
    if not isinstance(type_, ClassInfo):
        return type_
    return machine.once(layer, type_, type_) if type_.is_module else None


def called_type(machine: Run, module: Value) -> object:
    """The type that says what a call of a module does: a class in view without a `forward` leaves
    that to the layer it derives from."""
    type_ = machine.instance(module.ref).type
    if isinstance(type_, ClassInfo) and not any(map(type_.method, ("forward", "__call__"))):
        return library_type(machine, type_) or type_
    return type_


def construct(machine: Run, base: Value, made: Value, arguments: Arguments, node: ir.Call) -> None:
    """What the constructor of a layer or a container makes of an object that derives from it."""
    whole = machine.instance(made.ref)  # Without an `__init__` in view both have one key.
    part = machine.instance(machine.apply(node, base, arguments).ref)
    machine.store(
        made.ref,
        replace(
            whole,
            holds_state=part.holds_state,
            device=part.device,
            origin=part.origin,
            items={**whole.items, **part.items},
            tags=(*whole.tags, *part.tags),
        ),
    )


def of_base(name: str) -> tuple[str, str] | None:
    """The layer and the method of `nn.Linear.__init__(self, ..)`, `nn.Linear.forward(self, x)`."""
    base, _, method = name.rpartition(".")
    is_known = (method in INHERITED and is_layer(base)) or (method == "__init__" and base in PLAIN)
    return (base, method) if is_known else None
