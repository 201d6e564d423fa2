"""Modules in plain lists, tuples and dicts: their module registers none of them."""

from __future__ import annotations

from collections.abc import Iterator

from devlint.api import (
    Analysis,
    ClassExamined,
    ClassExamining,
    ClassInfo,
    Fix,
    Instantiated,
    Kind,
    Problem,
    Run,
    Value,
    class_summary,
    effect,
    fact,
    ir,
    last_name,
    module_state,
    on,
    value_wrapped,
)
from devlint_rules.unregistered_module.containers import (
    assigned,
    assignment,
    container,
    may_hold_modules,
    passed,
    uses,
)

STATE = frozenset({"Parameter", "register_buffer", "register_parameter"})


class HiddenModules(Analysis[Run]):
    """Reports which attributes of a module hold modules that it does not register."""

    @on(ClassExamining)
    def ask(self, signal: ClassExamining) -> None:
        if may_hold_modules(signal.owner):
            signal.needs_object = True

    @on(ClassExamined)
    def examine(self, signal: ClassExamined) -> None:
        self.look_into(signal.owner, signal.receiver)

    @on(Instantiated)
    def instantiate(self, signal: Instantiated) -> None:
        """What is given as `*layers` is known only where an object is made."""
        init = signal.owner.method("__init__")
        if init is not None and any(each.kind == "*" for each in init.node.params):
            self.look_into(signal.owner, signal.value)

    def look_into(self, owner: ClassInfo, module: Value) -> None:
        if not owner.is_module or not (held := {*hidden(self.run, module), *declared(owner)}):
            return
        known = class_summary.summary(self.run, owner)
        if known.moves_itself or known.openings:
            return
        taken = {*passed(owner), *class_summary.stored_outside(self.run)}
        for name in sorted(held - taken):
            site = assignment(owner, name)
            use = next(uses(owner, name, known.reached), None) if site is not None else None
            if site is not None and use is not None:
                self.tell(owner, name, site, use)

    def tell(self, owner: ClassInfo, name: str, site: ir.Attribute, use: ir.Call) -> None:
        message = (
            f"the modules in `{name}` are registered nowhere: moves, optimizers and the state dict "
            "miss them, and a forward pass calls them"
        )
        called = ((use, "called here"),)
        self.run.report(self, Problem(site, message, later=called, fix=fix(owner, site)))


def fix(owner: ClassInfo, site: ir.Attribute) -> Fix | None:
    """The state dict gets new keys by it."""
    registering = container(owner, site)
    if registering is None:
        return None
    change = value_wrapped(site, registering)
    return Fix(f"register them: `{registering}(..)`", (change,), "unsafe")


def hidden(run: Run, module: Value) -> Iterator[str]:
    """The attributes with containers of modules that have state, are on no device yet, and are
    no submodules."""
    instance = run.instance(module.ref)
    modules = [item for _, item in instance.contents if item.kind is Kind.MODULE]
    known = {part.ref for each in modules for part in module_state.parts(run, each, set())}
    for name, item in instance.attributes.items():
        if item.kind is Kind.CONTAINER:
            inner = [
                part for part in module_state.parts(run, item, set()) if part.kind is Kind.MODULE
            ]
            free = [part for part in inner if part.ref is None or part.ref not in known]
            if any(holds_state(run, part) for part in free) and not is_moved(run, inner):
                yield name


def declared(owner: ClassInfo) -> Iterator[str]:
    """The attributes that hold the arguments of `*layers: nn.Module`."""
    init = owner.methods.get("__init__")
    if init is None or not isinstance(init.node, ir.Def):
        return
    rest = next((p for p in init.node.params if p.kind == "*"), None)
    if rest is not None and last_name(rest.annotation) == "Module":
        for target, value in assigned(init.node.body):
            if isinstance(value, ir.Name) and value.id == rest.name:
                yield target.name


def is_moved(run: Run, inner: list[Value]) -> bool:
    return any(run.instance(part.ref).move is not None for part in inner)


def holds_state(run: Run, value: Value) -> bool:
    """Whether a module has parameters or buffers; of a class, whether it mentions any."""
    instance = run.instance(value.ref)
    if isinstance(instance.type, ClassInfo):
        return any(map(makes_state, instance.type.node.words))
    return instance.holds_state is True or any(
        holds_state(run, item)
        for _, item in instance.contents
        if item.kind is Kind.MODULE and item.ref != value.ref
    )


def makes_state(word: str) -> bool:
    layer = fact(f"torch.nn.{word}")
    return word in STATE or (isinstance(layer, effect.Layer) and layer.holds_state)
