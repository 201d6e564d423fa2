"""Whose arguments a function meets: those of callers who may have an accelerator, or not."""

from __future__ import annotations

from collections.abc import Hashable

from devlint.api import (
    ClassInfo,
    Like,
    Loaded,
    Operand,
    Run,
    evident_names,
    ir,
    is_tensor_type,
    module_state,
    names_data_class,
    outermost,
    path,
    walk,
)

#: Methods of Python and PyTorch that work where the data is made, before it is moved: on the CPU.
ON_CPU = frozenset("__init__ __getitem__ __iter__ reset_parameters".split())


def is_of_caller(run: Run, like: Like) -> bool:
    """Whether moving a module, or what the caller hands in, decides about the device."""
    is_made = isinstance(run.instance(like.source).type, module_state.Outer)
    if is_made or isinstance(like.source, Loaded):
        return False
    owner = run.frame.owner
    if owner is None:
        return True
    return owner.is_module or not (is_own(like.source) or is_kept(run, owner, like.source))


def is_own(source: Hashable) -> bool:
    return isinstance(source, tuple) and source[:1] == ("self",)


def is_kept(run: Run, owner: ClassInfo, source: Hashable) -> bool:
    """Whether it is of what an object was given when it was made, other than a tensor."""
    given = outermost(source)
    if not isinstance(given, ir.Parameter) or is_tensor_type(given.annotation):
        return False
    if any(given in each.params for each in run.running if isinstance(each, ir.Def)):
        return False
    init = owner.method("__init__")
    return init is None or given.name not in evident_names(run, init.node)


def is_before_moves(run: Run) -> bool:
    """Whether this runs on the CPU: a program that knows no other device, or code that makes data
    ready or initialises a module."""
    if not run.seeds.may_be_moved:
        return True
    running = [node for node in run.running if isinstance(node, ir.Def)]
    owners = [owner for owner in run.owners if owner is not None]
    if not (ON_CPU | run.libraries.hooks).isdisjoint(node.name for node in running):
        return True
    return any(map(makes_data, owners)) or any(is_of_making(run, node) for node in running)


def is_of_making(run: Run, function: ir.Def) -> bool:
    """Whether constructors, of any class, are all that names a function, and they call it."""
    callers = run.seeds.callers(function)
    if not callers or any(each.name != "__init__" for each in callers):
        return False
    return all(function.name in run.once(methods_called, each) for each in callers)


def methods_called(function: ir.Def) -> frozenset[str]:
    calls = (node.func for node in walk(function) if isinstance(node, ir.Call))
    return frozenset(func.name for func in calls if isinstance(func, ir.Attribute))


def makes_data(owner: ClassInfo) -> bool:
    names = [each.node.name for each in owner.line]
    names += [word for base in owner.node.bases for word in path(base)[-1:]]
    return any(map(names_data_class, names))


def placed(partner: Operand, like: Like) -> str:
    """Where something is that its caller has placed."""
    is_given = partner.name == like.text
    return "where the caller put it" if is_given else f"on the device of `{like.text}`"
