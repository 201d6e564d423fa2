"""Whose arguments a function meets: those of callers who may have an accelerator, or not."""

from __future__ import annotations

from collections.abc import Hashable

from devlint.api import (
    READYING,
    ClassInfo,
    Device,
    Like,
    Loaded,
    Operand,
    Run,
    asked_for_device,
    evident_names,
    gone_through_as_records,
    ir,
    is_data_class,
    is_distributed,
    is_for_cpu_alone,
    is_for_data_alone,
    is_for_project_alone,
    is_notebook,
    is_tensor_type,
    is_unused,
    last_word,
    makes_data,
    module_state,
    moves_part,
    outermost,
    walk,
)
from devlint_rules.tensor_without_device.handed_arguments import is_fed_by_file

#: So many calls are followed back from a helper to what makes data.
CALLS = 3


def is_of_caller(run: Run, like: Like) -> bool:
    """Whether moving a module, or what the caller hands in, decides about the device: not of what
    is known by nothing but that it is asked for its own."""
    is_made = isinstance(run.instance(like.source).type, module_state.Outer)
    if is_made or isinstance(like.source, Loaded | ir.Attribute) or is_of_script(run, like.source):
        return False
    owner = run.frame.owner
    if is_own(like.source):
        # What an object that is no module makes for itself, nobody moves.
        whole = next((each for each in run.owners if is_of(like.source, each)), owner)
        return whole is None or whole.is_module
    return owner is None or owner.is_module or not is_kept(run, owner, like.source)


def is_of_script(run: Run, source: Hashable) -> bool:
    """Whether a script has something itself of which nothing is known, but that its device is asked
    for: nobody calls a script."""
    if run.frame is not run.top and isinstance(run.frame.path[0], ir.Def):
        return False
    is_expression = isinstance(source, ir.Node) and not isinstance(source, ir.Parameter)
    return is_expression and source not in run.notes.fed


def is_own(source: Hashable) -> bool:
    return isinstance(source, tuple) and source[:1] == ("self",)


def is_of(source: Hashable, owner: ClassInfo | None) -> bool:
    """Whether a device is that of an object of the class."""
    return owner is not None and source == ("self", owner.node)


def is_kept(run: Run, owner: ClassInfo, source: Hashable) -> bool:
    """Whether it is of what an object was given when it was made, other than a tensor, and does not
    move itself."""
    given, receiver = outermost(source), run.frame.receiver
    if not isinstance(given, ir.Parameter) or is_tensor_type(given.annotation):
        return False
    if receiver is not None and moves_part(run, owner, receiver, given):
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
    running = [node for node in later(run) if isinstance(node, ir.Def)]
    owners = [owner for owner in run.owners if owner is not None]
    if not (READYING | run.libraries.hooks).isdisjoint(node.name for node in running):
        return True
    if any(map(is_data_class, owners)) and not any(is_told_device(run, node) for node in running):
        return True
    return any(is_of_making(run, node) for node in running) or is_for_data_alone(run)


def later(run: Run) -> list[ir.Def | ir.Lambda]:
    """The functions that run, of those in which an inner one is defined that is called later only
    that one."""
    path, count = run.frame.path, 0
    for before, node in zip((None, *path), path, strict=False):
        if isinstance(node, ir.Call):
            count += 1
        elif isinstance(node, ir.Def) and not isinstance(before, ir.Call):
            count = 1
    return run.running[-count:]


def is_told_device(run: Run, function: ir.Def) -> bool:
    """Whether a function asks an argument for its device: it takes it for possible that this is
    another than the CPU."""
    names = {parameter.name for parameter in function.params[1:]}
    return not names.isdisjoint(run.once(asked_for_device, function))


def is_asked_for_device(run: Run, device: Device) -> bool:
    """Whether it is that of arguments of a module's method, which asks them for it."""
    running, owner = run.running[-1] if run.running else None, run.frame.owner
    if not isinstance(running, ir.Def) or owner is None or not owner.is_module:
        return False
    asked, sources = run.once(asked_for_device, running), [each.source for each in device.likes]
    return device.is_like and all(
        isinstance(each, ir.Parameter) and each in running.params and each.name in asked
        for each in sources
    )


def is_called_on_data(run: Run, partner: Operand) -> bool:
    """Whether this runs for no module, optimizer or function with a derivative of its own, in a
    file that knows nothing of devices; or what it begins with has callers in the file, which by
    themselves put nothing on an accelerator, or is given records; or the project uses it on the CPU
    alone, or not at all. Modules may be moved by others, if there can be any."""
    if is_unused(run):
        return True
    if any(each is not None and computes(each) for each in run.owners):
        is_plain = is_notebook(run) and not run.seeds.knows_devices
        return is_plain or (not is_distributed(run) and is_for_cpu_alone(run))
    if not run.seeds.knows_devices or is_for_cpu_alone(run) or is_for_project_alone(run):
        return True
    functions = [node for node in run.running if isinstance(node, ir.Def)]
    if functions and is_fed_by_file(run, functions[0]):
        return True
    # Functions hand on what they are given under the name that it has.
    sources = map(outermost, (like.source for like in partner.value.device.likes))
    given = {each.name for each in sources if isinstance(each, ir.Parameter)}
    return any(not given.isdisjoint(run.once(gone_through_as_records, each)) for each in functions)


def computes(owner: ClassInfo) -> bool:
    """Whether its objects compute, or are called by what does, wherever its user has them."""
    return owner.is_module or owner.is_optimizer or owner.is_function


def is_of_making(run: Run, function: ir.Def, above: tuple[ir.Def, ...] = ()) -> bool:
    """Whether all that names a function, and calls it, makes data or constructs something, or comes
    to it from there only."""
    callers = [each for each in run.seeds.callers(function) if each not in above]
    if not callers or len(above) > CALLS:
        return False
    return all(
        function.name in run.once(called, each)
        and (is_maker(run, each) or is_of_making(run, each, (*above, function)))
        for each in callers
    )


def is_maker(run: Run, function: ir.Def) -> bool:
    classes = [each for each in run.seeds.definitions if isinstance(each, ir.Class)]
    return makes_data(function, *(each for each in classes if function in each.body))


def called(function: ir.Def) -> frozenset[str]:
    """The names of the functions and methods that one calls."""
    calls = (node.func for node in walk(function) if isinstance(node, ir.Call))
    return frozenset(map(last_word, calls))


def placed(partner: Operand, like: Like) -> str:
    """Where something is that its caller has placed."""
    is_given = partner.name == like.text
    return "where the caller put it" if is_given else f"on the device of `{like.text}`"
