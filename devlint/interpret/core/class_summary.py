"""What the text of a class says of its state: what forward reaches, registers and moves itself."""

from __future__ import annotations

from collections.abc import Sequence

from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.scopes import ClassInfo
from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.queries.dotted_names import last_word
from devlint.queries.name_conventions import is_self, names_use
from devlint.values.summary import ClassSummary
from devlint.values.value import Kind

#: Overrides by which a class takes its plain attributes along, or keeps them apart.
MOVERS = frozenset({"_apply", "to", "cuda", "cpu", "to_empty"})
REGISTERS = frozenset(
    "register_buffer register_parameter register_module add_module setattr __setattr__"
    " register_full_backward_hook exec".split()
)
ENTRIES = frozenset({"forward", "__call__"})
#: Where classes are from that know of nothing that derives from them.
PLAIN = ("torch.", "builtins.", "abc.", "typing.")


def is_all_in_view(owner: ClassInfo) -> bool:
    """Whether no base out of view calls methods of a class, or moves what its objects keep."""
    return all(str(base.payload).startswith(PLAIN) for base in owner.outer_bases)


def readers(owner: ClassInfo) -> frozenset[str]:
    """The words of all methods but `__init__`: an attribute not among them is not read there."""
    others = [method for method in owner.definitions if method.name != "__init__"]
    return frozenset().union(*(method.words for method in others))


def keeps_attributes(machine: Run, owner: ClassInfo) -> bool:
    """Whether what a class inherits out of view comes from libraries, which know nothing of what
    its own methods keep."""
    names = [str(base.payload) for base in owner.outer_bases]
    packages = machine.libraries.packages
    return all(name.startswith(PLAIN) or name.partition(".")[0] in packages for name in names)


def derives_from_module(machine: Run, owner: ClassInfo) -> bool:
    """A class with a base out of view is taken for a module if it has a `forward`, or keeps a
    parameter or registers a buffer."""
    outer = owner.outer_bases
    names = [str(base.payload) if base.kind is Kind.IMPORTED else "" for base in outer]
    if any(
        name.startswith("torch.nn.") or name.endswith(machine.libraries.bases) for name in names
    ):
        return True
    may_be = any(not name.startswith(("torch.autograd", "builtins.")) for name in names)
    return may_be and (owner.method("forward") is not None or machine.once(registers, owner.node))


def registers(owner: ir.Class) -> bool:
    """Whether methods of a class do what only those of modules do: assign a parameter to their
    object, or register something with it."""
    if "Parameter" not in owner.words and REGISTERS.isdisjoint(owner.words):
        return False
    return any(
        isinstance(target, ir.Attribute) and is_self(target.value)
        for node in walk(owner)
        for target in registering(node)
    )


def registering(node: ir.Node) -> Sequence[ir.Expression]:
    """What is assigned a parameter, or called to register something."""
    if isinstance(node, ir.Assign) and isinstance(node.value, ir.Call):
        return node.targets if last_word(node.value.func) == "Parameter" else ()
    if isinstance(node, ir.Call) and last_word(node.func) in REGISTERS:
        return (node.func,)
    return ()


def summary(machine: Run, owner: ClassInfo) -> ClassSummary:
    """What the text of a class, and of its bases in view, says of its state."""
    names = [n for each in owner.line for n in machine.once(registered_names, each.node, each)]
    written_out = [n.value for n in names if isinstance(n, ir.Constant)]
    return ClassSummary(
        reached=machine.once(reached, owner, owner),
        registered=frozenset(name for name in written_out if isinstance(name, str)),
        openings=tuple(opening(n) for n in names if not isinstance(n, ir.Constant)),
        moves_itself=any(not MOVERS.isdisjoint(each.methods) for each in owner.line),
    )


def methods(owner: ClassInfo) -> dict[str, ir.Def]:
    """All methods of the class and its bases in view, those that are overridden left out."""
    found: dict[str, ir.Def] = {}
    for each in owner.line:
        for name, function in each.methods.items():
            if isinstance(function.node, ir.Def):
                found.setdefault(name, function.node)
    return found


def stored(owner: ClassInfo) -> frozenset[str]:
    """The attributes that its methods, those of bases included, assign once it has been made."""
    steps = methods(owner).items()
    return frozenset().union(*(each.stores for name, each in steps if name != "__init__"))


def making(owner: ClassInfo) -> frozenset[str]:
    """The words of `__init__`: the methods among them are steps of the making of an object."""
    init = owner.method("__init__")
    return init.node.words if init and isinstance(init.node, ir.Def) else frozenset()


def reached(owner: ClassInfo) -> frozenset[str]:
    """By their words, what the methods name that let a module compute; callers may call any that
    are public, unless they are a step of its making."""
    known = methods(owner)
    made_by = making(owner)
    pending = [
        name
        for name in known
        if name in ENTRIES or names_use(name) or not (name.startswith("_") or name in made_by)
    ]
    found = set(pending)
    while pending:
        named = known.keys() & known[pending.pop()].words - found - {"__init__"}
        found |= named
        pending += named
    return frozenset(found)


def running(machine: Run, owner: ClassInfo) -> list[ir.Def]:
    """The methods of a class, or of its bases, that run."""
    known = owner.definitions
    return [each for each in machine.running if isinstance(each, ir.Def) and each in known]


def parameters(owner: ir.Class) -> frozenset[str]:
    """The attributes of `self` to which a class assigns parameters."""
    if "Parameter" not in owner.words:
        return frozenset()
    made = (each for each in walk(owner) if isinstance(each, ir.Assign))
    targets = (target for each in made for target in registering(each))
    return frozenset(
        each.name for each in targets if isinstance(each, ir.Attribute) and is_self(each.value)
    )


def registered_names(owner: ir.Class) -> list[ir.Expression]:
    """How what a class registers is named."""
    if REGISTERS.isdisjoint(owner.words):
        return []
    calls = (node for node in walk(owner) if isinstance(node, ir.Call))
    return [name for call in calls if (name := registered_name(call)) is not None]


def registered_name(call: ir.Call) -> ir.Expression | None:
    """How what a call registers is named, if it registers something. What is executed may register
    anything."""
    if isinstance(call.func, ir.Name) and call.func.id == "exec":
        return call.func
    called = call.func.name if isinstance(call.func, ir.Attribute) else ""
    if isinstance(call.func, ir.Name) and call.func.id == "setattr":
        return call.args[1] if len(call.args) > 1 else None
    if called not in REGISTERS:
        return None
    named = [value for key, value in call.keywords if key == "name"]
    return next(iter([*call.args, *named]), None)


def opening(name: ir.Expression) -> str:
    """How a name starts that is made up at run time."""
    if isinstance(name, ir.Binary) and isinstance(name.left, ir.Constant) and name.op == "+":
        return str(name.left.value)
    return name.start if isinstance(name, ir.Text) else ""


def stored_outside(machine: Run) -> frozenset[str]:
    """The attributes that the program assigns to anything but `self`."""
    return machine.once(assigned_elsewhere, machine.module)


def assigned_elsewhere(module: ir.Module) -> frozenset[str]:
    found: set[str] = set()
    for node in walk(module):
        targets = node.targets if isinstance(node, ir.Assign) else ()
        for target in targets:
            if isinstance(target, ir.Attribute) and not is_self(target.value):
                found.add(target.name)
    return frozenset(found)


def assignment_in_init(owner: ClassInfo, name: str) -> ir.Assign | None:
    """The only assignment of an attribute, in `__init__`."""
    init = owner.method("__init__")
    if init is None or any(name in m.stores for m in owner.definitions if m is not init.node):
        return None
    for node in walk(init.node):
        if isinstance(node, ir.Assign):
            for target in node.targets:
                if isinstance(target, ir.Attribute) and target.name == name:
                    return node
    return None


def enclosing_method(owner: ClassInfo, node: ir.Node) -> ir.Def | None:
    """The method that a node is in."""
    return next((m for m in owner.definitions if node in walk(m)), None)


def is_initialised_before(function: ir.Def, node: ir.Node) -> bool:
    """Whether a module is one by then: `super().__init__()`, or that of a base, comes before a node
    of a method."""
    if function.name != "__init__":
        return True
    order = (each for each in walk(function) if each is node or initialises(each))
    return next(order, None) is not node


def initialises(node: ir.Node) -> bool:
    match node:
        case ir.Call(func=ir.Attribute(name="__init__")):
            return True
    return False
