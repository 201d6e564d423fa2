"""Tensors that nobody placed, where they meet what is on the device of an argument or module."""

from __future__ import annotations

import re
from collections.abc import Hashable

from devlint.analyses import cpu_only_arguments
from devlint.event import Operand, Sample, Unplaced
from devlint.interpret.core.branch_conditions import path
from devlint.interpret.core.call import Arguments
from devlint.interpret.core.containers import items_of
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.object_ids import Loaded
from devlint.interpret.core.scopes import ClassInfo
from devlint.lower import ir
from devlint.queries import device_expressions
from devlint.queries.name_conventions import written
from devlint.queries.tensor_evidence import evident_names, is_evident_tensor
from devlint.values.condition import Condition, Sense
from devlint.values.device import CPU, Device, Like
from devlint.values.source import Factory
from devlint.values.value import Kind, Value

#: Functions that work where the data is made, before it is moved: on the CPU.
ON_CPU = re.compile(
    r"^(__init__|__getitem__|__iter__|_?reset|_?init_|.*_init$|test_|_?load"
    r"|_?init(ialize)?(_(weights?|param(eter)?s|bias|embeddings?))?$)"
    r"|collat|transform|augment|plot|visuali[sz]|draw|show|preprocess|dataset|dummy"
    r"|^on_before_batch_transfer$"
)
#: Bases of classes that do so.
DATA = re.compile(r"(Dataset|DataModule|Transform|Sampler|Loader|TestCase)$|Collat|^Test")
#: Arguments that give data one batch after the other, as it was made.
LOADER = re.compile(r"loader|data_?set|data_?iter|sampler|_iter$", re.I)


def met(
    machine: Run,
    node: ir.Node,
    operation: str,
    operands: list[Operand],
    tensors: list[Operand] | None = None,
) -> None:
    """Say which of the operands of an operation, or of the `tensors` among them, was left on the
    CPU."""
    for tensor in tensors or operands:
        source = tensor.value.source
        if not isinstance(source, Factory) or tensor.is_exempt:
            continue
        if tensor.value.tag(Sample) is not None:
            continue  # Its generator decides where it can be drawn.
        for partner in operands:
            like = left_by(tensor.value.device, partner.value.device)
            if (
                like is not None
                and is_partner(machine, partner)
                and is_of_caller(machine, like)
                and not is_before_moves(machine)
            ):
                place = device_expressions.beside(machine, node, source.call, partner, like)
                event = Unplaced(node, operation, tensor, source, partner, like, *place)
                cpu_only_arguments.met(machine, event)
                return


def fed(machine: Run, node: ir.Call, state: Value, arguments: Arguments) -> None:
    """The inputs of a layer meet its parameters."""
    for argument in arguments:
        for value in items_of(machine, argument.value) or [argument.value]:
            if isinstance(value.source, Factory):
                layer = Operand(node.func, written(node.func), state)
                given = Operand(argument.node, written(argument.node), value)
                met(machine, node, f"{layer.name}(..)", [given, layer], tensors=[given])


def left_by(tensor: Device, partner: Device) -> Like | None:
    """What the partner is like, on a path where the tensor is certainly on the CPU."""
    if tensor == partner:
        return None
    for one, other, is_first in ((tensor, partner, True), (partner, tensor, False)):
        if one.arms is None or one.test is None:
            continue
        if one.is_chosen or {*one.test.senses} - {Sense.NOTHING}:
            return None
        for arm, truth in zip(one.arms, (True, False), strict=True):
            rest = other.given(one.test, truth)
            if rest.test is not None and are_of_one_kind(one.test, rest.test):
                rest = rest.given(rest.test, truth)
            like = left_by(arm, rest) if is_first else left_by(rest, arm)
            if like is not None:
                return like
        return None
    if tensor.atoms != {CPU}:
        return None
    likes = [atom for atom in partner.atoms if isinstance(atom, Like)]
    return likes[0] if likes and len(likes) == len(partner.atoms) else None


def are_of_one_kind(one: Condition, other: Condition) -> bool:
    """Whether two tests ask of two values if they are arrays: who has arrays hands in nothing
    else. (A list or a number beside a tensor is common.)"""
    keys = (one.key, other.key)
    if not all(isinstance(key, tuple) and key[-1:] == ("numpy.ndarray",) for key in keys):
        return False
    first, second = (key[:2] for key in keys if isinstance(key, tuple))
    return bool(first == second)


def is_partner(machine: Run, partner: Operand) -> bool:
    """Whether the partner is a tensor for certain, not a number."""
    if not partner.is_exempt or partner.value.kind is Kind.TENSOR:
        return True
    running = [node for node in machine.running if isinstance(node, ir.Def)]
    if running and is_evident_tensor(machine, running[-1], partner.node):
        return True
    sources = {a.source for a in partner.value.device.atoms if isinstance(a, Like)}
    return any(is_given(machine, node, source) for node in running for source in sources)


def is_given(machine: Run, function: ir.Def, source: Hashable) -> bool:
    """Whether a function has an argument that is evidently a tensor, and is the source."""
    return (
        isinstance(source, ir.Parameter)
        and source in function.params
        and source.name in evident_names(machine, function)
    )


def is_of_caller(machine: Run, like: Like) -> bool:
    """Whether moving a module, or what the caller hands in, decides about the device."""
    if isinstance(like.source, Loaded) or machine.frame.is_summary or LOADER.search(like.text):
        return False
    owner = machine.frame.owner
    if owner is None:
        return True
    init = owner.method("__init__")
    if init is not None and like.source in init.node.params:
        return False
    return owner.is_module or not is_own(like.source)


def is_own(source: Hashable) -> bool:
    return isinstance(source, tuple) and source[:1] == ("self",)


def is_before_moves(machine: Run) -> bool:
    """Whether this runs on the CPU: a program that knows no other device, or code that makes data
    ready or initialises a module."""
    if not machine.seeds.may_be_moved:
        return True
    names = [node.name for node in machine.running if isinstance(node, ir.Def)]
    owners = [owner for owner in machine.owners if owner is not None]
    return any(map(ON_CPU.search, names)) or any(map(makes_data, owners))


def makes_data(owner: ClassInfo) -> bool:
    names = [each.node.name for each in owner.line]
    names += [word for base in owner.node.bases for word in path(base)[-1:]]
    return any(map(DATA.search, names))
