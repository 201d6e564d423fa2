"""Tensors that modules keep as plain attributes, and what they meet."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from devlint.api import (
    TENSOR_WORDS,
    Analysis,
    ClassExamining,
    ClassInfo,
    Combined,
    Device,
    Kind,
    Meeting,
    MethodsExamining,
    ModuleCalled,
    Name,
    OpenRegistrations,
    Operand,
    PlainAttribute,
    Presumption,
    Problem,
    Run,
    Value,
    class_summary,
    effect,
    evident_names,
    ir,
    is_in_reach,
    is_tensor_type,
    leading,
    leaves,
    like,
    module_state,
    moved_at_use,
    on,
    on_paths,
    reach,
    words_of,
    written,
)
from devlint_rules.unregistered_tensor.registration import registration


class UnregisteredTensors(Analysis[Run]):
    """Reports where a plain attribute meets what moves with its module or with its input."""

    needs = (OpenRegistrations,)
    is_failure = True

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        #: The module whose methods are looked at.
        self.examined: Value | None = None

    @on(ClassExamining)
    def ask(self, signal: ClassExamining) -> None:
        if is_given_tensors(self.run, signal.owner):
            signal.needs_methods = True

    @on(MethodsExamining)
    def ask_again(self, signal: MethodsExamining) -> None:
        """What callers in view do with a method says nothing of what its plain attributes meet."""
        self.examined = signal.receiver
        signal.ask_again(self, words_to(self.run, signal.owner, signal.receiver))

    @on(Combined)
    def combine(self, signal: Combined) -> None:
        self.meet(signal.node, signal.operation, signal.operands)

    @on(Meeting)
    def look_up(self, signal: Meeting) -> None:
        """A table on the CPU takes no indices from elsewhere, unless that is one number."""
        if signal.operation == "indexing" and is_array(self.run, signal.operands[1]):
            self.stray(signal.node, signal.operation, signal.operands[0], signal.operands)

    @on(ModuleCalled)
    def compute(self, signal: ModuleCalled) -> None:
        """A plain attribute is handed to a submodule, whose state moves."""
        node, callee = signal.call.node, signal.module
        given = signal.call.arguments.positional
        for each in given:
            source = each.value.source
            if isinstance(source, PlainAttribute) and self.move_together(callee, source.whole):
                stray = Operand(each.node, written(each.node), each.value)
                state = state_of(self.run, callee, source.whole)
                module = Operand(node.func, written(node.func), state)
                self.meet(node, written(node.func), [stray, module])

    def move_together(self, callee: Value, whole: Hashable) -> bool:
        """Whether what moves a module that keeps a plain attribute moves another one, with state,
        as well: that is a part of it, or both are parts of one."""
        if not has_state(self.run, callee):
            return False
        if any(item.ref == callee.ref for _, item in self.run.instance(whole).contents):
            return True
        holders = [each for each in (self.run.frame.receiver, self.examined) if each is not None]
        return any({whole, callee.ref} <= held(self.run, each) for each in holders)

    def meet(self, node: ir.Node, operation: str, operands: Sequence[Operand]) -> None:
        any(self.stray(node, operation, each, operands) for each in operands)

    def stray(
        self, node: ir.Node, operation: str, operand: Operand, operands: Sequence[Operand]
    ) -> bool:
        """Report an operand that stays behind where one of the others moves, be it on one path;
        whether it does."""
        rest = [each for each in operands if each is not operand]
        for one, *others in () if operand.is_exempt else on_paths(operand, *rest):
            source = one.value.source
            if not isinstance(source, PlainAttribute) or not self.is_left(one, source):
                continue
            partner = next((each for each in others if leaves(self.run, one, each)), None)
            if partner is not None:
                self.tell(source, partner, operation, node)
                return True
        return False

    def is_left(self, operand: Operand, source: PlainAttribute) -> bool:
        if source.whole in self.run.analysis(OpenRegistrations).modules:
            return False
        return stays(self.run, source, operand.value.device)

    def tell(
        self, attribute: PlainAttribute, partner: Operand, operation: str, node: ir.Node
    ) -> None:
        owner = owner_of(self.run, attribute)
        named, device = partner.told("another operand"), partner.value.device
        problem = Problem(
            attribute.assignment,
            f"`{attribute.name}` is a plain attribute, which no move of its module takes along: "
            f"{consequence(partner, operation)}",
            later=((node, f"meets {named} here"),),
            severity="error" if device.may_accelerate else None,
            fault=node,
            presumes=presumed(self.run, attribute, owner),
            fix=None if owner is None else registration(owner, attribute),
        )
        self.run.report(self, problem)


def is_array(run: Run, indices: Operand) -> bool:
    """Whether something is evidently a tensor of several indices, rather than a number."""
    if indices.value.is_scalar is False:
        return True
    function, source = run.function, indices.value.ref
    if not isinstance(source, ir.Parameter) or function is None or indices.name != source.name:
        return False  # An item of an argument may be a number.
    return is_tensor_type(source.annotation) or source.name in evident_names(run, function)


def presumed(
    run: Run, attribute: PlainAttribute, owner: ClassInfo | None
) -> tuple[Presumption, ...]:
    """What a module is given is where its maker has it: one in view seldom moves that away."""
    if not attribute.is_given:
        return ()
    is_in_view = owner is not None and is_made_in_view(run, owner)
    return (Presumption.MOVED_AGAIN if is_in_view else Presumption.MOVED_MODULE,)


def is_made_in_view(run: Run, owner: ClassInfo) -> bool:
    """Whether the program makes such modules, or another file of its project does, tests left
    out."""
    if owner.node.name in run.once(named, run.home.module):
        return True
    place = run.home.place
    if place is None:
        return False
    found = reach(place, Name(owner.node.name, is_class=True), lambda _: True)
    return found is not None and any(not (e.is_export or e.is_of_test) for e in found.references)


def named(module: ir.Module) -> frozenset[str]:
    """The names in the functions of a program, and at its top, classes left out."""
    parts = (each for each in module.body if not isinstance(each, ir.Class))
    return frozenset().union(*map(words_of, parts))


def consequence(partner: Operand, operation: str) -> str:
    named, device = partner.told("another operand"), partner.value.device
    if device.may_accelerate:
        return f"it stays on the CPU and meets {named} on {device.told} in `{operation}`"
    return f"once the module is moved, `{operation}` mixes it with {named}"


def is_given_tensors(run: Run, owner: ClassInfo) -> bool:
    """Whether `__init__` is given tensors. (What it makes itself is a seed.)"""
    init = owner.method("__init__")
    if not owner.is_module or init is None or not isinstance(init.node, ir.Def):
        return False
    if any(is_tensor_type(parameter.annotation) for parameter in init.node.params):
        return True
    if TENSOR_WORDS.isdisjoint(init.node.words):
        return False
    evident = evident_names(run, init.node)
    return any(parameter.name in evident for parameter in init.node.params)


def words_to(run: Run, owner: ClassInfo, module: Value) -> frozenset[str]:
    """The names of the attributes in which tensors are that moves leave, and of the methods that
    lead there."""
    own = run.instance(module.ref).attributes.items()
    return leading(run, owner, {name for name, item in own if keeps_plain(run, item)})


def keeps_plain(run: Run, item: Value) -> bool:
    every = module_state.parts(run, item, set())
    return any(isinstance(each.source, PlainAttribute) for each in every)


def has_state(run: Run, module: Value) -> bool:
    """Whether a module has state, as far as can be seen."""
    if module.ref is None:
        return False
    instance = run.instance(module.ref)
    is_open = isinstance(instance.type, module_state.Outer | effect.Container)
    return bool(instance.holds_state) or is_open


def held(run: Run, module: Value) -> set[Hashable]:
    """The objects in a module, at any depth."""
    found = module_state.parts(run, module, set(), is_registered=True)
    return {each.ref for each in found if each is not module}


def state_of(run: Run, callee: Value, whole: Hashable) -> Value:
    """The parameters of a part: where they are known to be, else where the whole is."""
    device, origin = module_state.module_device(run, callee)
    there = device if device.is_known else like(whole, "self")
    return Value(Kind.TENSOR, there, origin=origin)


def stays(run: Run, source: PlainAttribute, device: Device) -> bool:
    """Whether nothing in view takes the attribute along when its module moves."""
    owner = owner_of(run, source)
    if not (device.is_cpu or source.is_given) or owner is None or is_placed(run, device):
        return False
    found = class_summary.summary(run, owner)
    if found.moves_itself or found.registers(source.name) or is_moved_on(run, owner, source.name):
        return False
    return is_in_reach(run, owner) and source.name not in class_summary.stored_outside(run)


def is_moved_on(run: Run, owner: ClassInfo, name: str) -> bool:
    """Whether a method moves an attribute and keeps it, once the object has been made: others may
    rely on that."""
    steps = [each for each in owner.definitions if each.name != "__init__"]
    storing = [each for each in steps if name in each.stores]
    return any(name in run.once(moved_at_use, each, owner) for each in storing)


def is_placed(run: Run, device: Device) -> bool:
    """Whether it is where an argument is that calls in view have taken to an accelerator."""
    sources = [atom.source for atom in device.likes]
    return any(isinstance(s, ir.Parameter) and run.notes.taken.get(s, False) for s in sources)


def owner_of(run: Run, attribute: PlainAttribute) -> ClassInfo | None:
    """The class of the module that keeps it, if that is in view."""
    type_ = run.instance(attribute.whole).type
    return type_ if isinstance(type_, ClassInfo) and type_.is_module else None
