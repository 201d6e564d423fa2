"""Modules in plain lists, tuples and dicts: their module registers none of them."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import replace

from devlint.api import (
    PARAMETER,
    Analysis,
    Argument,
    AttributeStored,
    Call,
    Called,
    Calling,
    ClassExamined,
    ClassExamining,
    ClassInfo,
    Combined,
    Ended,
    Followed,
    Instantiated,
    Kind,
    MethodsExamining,
    ModuleCalled,
    OpenRegistrations,
    Problem,
    Run,
    Value,
    class_summary,
    ir,
    items_of,
    leading,
    loop_moves,
    maker,
    names_use,
    on,
)
from devlint_rules.unregistered_module.constructors import may_hold_modules
from devlint_rules.unregistered_module.containers import (
    Held,
    fills,
    hides_modules,
    hides_parameters,
    is_bare,
    is_loose,
    is_single,
    is_variadic,
    kept,
    opened,
)
from devlint_rules.unregistered_module.registration import registration


class HiddenModules(Analysis[Run]):
    """Reports which attributes of a module hold modules that it does not register, but calls."""

    needs = (OpenRegistrations,)

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        #: Where the attributes of modules are assigned, and whether to what holds nothing yet.
        self.sites: dict[tuple[Hashable, str], dict[ir.Node, bool]] = {}
        #: The problems of containers; the calls of what is in them; those that somebody moves, or
        #: gets hold of who may do anything.
        self.problems: dict[Held, Problem] = {}
        self.uses: dict[Held, ir.Node] = {}
        self.cleared: set[Held] = set()
        #: The containers that somebody got hold of before, and the items of such.
        self.handed: set[Hashable] = set()
        #: The attributes with the arguments of `*layers` that callers in view give.
        self.given: dict[ClassInfo, set[str]] = {}

    @on(ClassExamining)
    def ask(self, signal: ClassExamining) -> None:
        if may_hold_modules(self.run, signal.owner):
            signal.needs_object = True

    @on(AttributeStored)
    def store(self, signal: AttributeStored) -> None:
        whole, name = signal.whole, signal.name
        if whole.kind is Kind.MODULE and whole.ref is not None:
            before = self.run.instance(whole.ref).attributes.get(name)
            if before is None or before.ref is None or before.ref != signal.value.ref:
                sites = self.sites.setdefault((whole.ref, name), {})
                sites[signal.site] = is_bare(self.run, signal.value)

    @on(Instantiated)
    def instantiate(self, signal: Instantiated) -> None:
        """What is given as `*layers` is known only where an object is made."""
        owner, module = signal.owner, signal.value
        for name in self.hide(owner, module):
            if is_variadic(self.run.instance(module.ref).attributes[name]):
                self.given.setdefault(owner, set()).add(name)

    @on(ClassExamined)
    def examine(self, signal: ClassExamined) -> None:
        if self.hide(signal.owner, signal.receiver):
            signal.needs_methods = True

    @on(MethodsExamining)
    def ask_again(self, signal: MethodsExamining) -> None:
        held = self.run.instance(signal.receiver.ref).attributes.items()
        names = {name for name, value in held if value.tag(Held) is not None}
        if names:
            signal.ask_again(self, leading(self.run, signal.owner, names))

    @on(ModuleCalled)
    def compute(self, signal: ModuleCalled) -> None:
        if not is_on_cpu(signal.call):
            self.use(signal.call.node, signal.module)
        if not isinstance(self.run.instance(signal.module.ref).type, ClassInfo):
            self.hand_on(signal.call)

    @on(Combined)
    def combine(self, signal: Combined) -> None:
        """A forward pass computes with a parameter."""
        for operand in signal.operands:
            self.use(signal.node, operand.value)

    @on(Followed)
    def follow(self, signal: Followed) -> None:
        self.use(signal.call.node, signal.before)

    @on(Calling)
    def call(self, signal: Calling) -> None:
        call, held = signal.call, signal.call.receiver.tag(Held)
        if held is not None and call.name in loop_moves.MOVES:
            self.cleared.add(held)
        if names_use(call.name) and not is_on_cpu(call):
            self.use(call.node, call.receiver)
        type_ = self.run.instance(call.receiver.ref).type
        is_followed = isinstance(type_, ClassInfo) and type_.method(call.name) is not None
        if not is_followed and call.receiver.kind is not Kind.CONTAINER:
            self.hand_on(call)

    @on(Called)
    def make(self, signal: Called) -> None:
        """What an object in view does with what it is made of need not be followed."""
        if signal.callee.kind is Kind.CLASS:
            self.hand_on(signal.call)

    @on(Ended)
    def end(self, signal: Ended) -> None:
        """Classes that inherit a container may share its problem."""
        found = [held for held in self.problems if held in self.uses and held not in self.cleared]
        for held in {held.site: held for held in reversed(found)}.values():
            used = ((self.uses[held], "used here"),)
            self.run.report(self, replace(self.problems[held], later=used))

    def hide(self, owner: ClassInfo, module: Value) -> list[str]:
        """Mark the containers that hide modules in one that is as its `__init__` has made it."""
        known = class_summary.summary(self.run, owner)
        is_open = module.ref in self.run.analysis(OpenRegistrations).modules
        if not owner.is_module or known.moves_itself or known.openings or is_open:
            return []
        return [name for name in self.hiding(owner, module) if self.mark(owner, module, name)]

    def hiding(self, owner: ClassInfo, module: Value) -> Iterator[str]:
        """The attributes that hold modules which are registered nowhere."""
        given = self.given.get(owner, ())
        for name, value in list(self.run.instance(module.ref).attributes.items()):
            items = items_of(self.run, value) if value.kind is Kind.CONTAINER else []
            is_handed = any(each.ref in self.handed for each in (value, *items))
            is_given = name in given and is_variadic(value)
            if is_handed or not (is_given or hides_state(self.run, module, value)):
                continue
            if name not in class_summary.stored_outside(self.run):
                yield name

    def mark(self, owner: ClassInfo, module: Value, name: str) -> bool:
        """Let what is in an attribute be known wherever it goes, if one statement assigns it."""
        instance = self.run.instance(module.ref)
        assigned = self.sites.get((module.ref, name), {})
        sites = [site for site, bare in assigned.items() if not bare] or [*assigned]
        stores = [each for each in class_summary.methods(owner).values() if fills(each, name)]
        is_on_purpose = is_single(self.run, instance.attributes[name])
        if len(sites) != 1 or len(stores) > 1 or is_on_purpose:
            return False
        held, value = Held(owner, sites[0]), opened(self.run, module, name)
        self.run.store(module.ref, instance.holding(name, kept(self.run, value, held)))
        items = items_of(self.run, value)
        has_modules = not all(map(is_loose, items))
        fix = registration(owner, held.site, maker(value.ref), items) if has_modules else None
        problem = Problem(held.site, told(name, has_modules=has_modules), fix=fix)
        self.problems.setdefault(held, problem)
        return True

    def use(self, node: ir.Node, value: Value) -> None:
        held = value.tag(Held)
        if held is not None:
            reached = class_summary.summary(self.run, held.owner).reached
            if any(each.name in reached for each in class_summary.running(self.run, held.owner)):
                self.uses.setdefault(held, node)

    def hand_on(self, call: Call) -> None:
        """Somebody gets hold of the arguments who may register or move them; of a parameter by
        itself, who initialises it."""
        for argument in (*call.arguments, *call.arguments.mapped):
            held = argument.value.tag(Held)
            if held is not None:
                if argument.value.payload != PARAMETER:
                    self.cleared.add(held)
            elif argument.value.ref is not None and is_several(argument):
                self.handed.add(argument.value.ref)


def is_on_cpu(call: Call) -> bool:
    """Whether all that is computed with has been brought to the CPU: so it is kept there."""
    given = [each.value.device for each in call.arguments if each.value.device.is_known]
    return bool(given) and all(device.is_cpu for device in given)


def is_several(argument: Argument) -> bool:
    """Whether it is a container, or the items of one."""
    return argument.value.kind is Kind.CONTAINER or isinstance(argument.node, ir.Starred)


def hides_state(run: Run, module: Value, value: Value) -> bool:
    return hides_modules(run, module, value) or hides_parameters(run, module, value)


def told(name: str, *, has_modules: bool) -> str:
    what, used = ("modules", "calls") if has_modules else ("parameters", "uses")
    return (
        f"the {what} in `{name}` are registered nowhere: moves, optimizers and the state dict "
        f"miss them, and a forward pass {used} them"
    )
