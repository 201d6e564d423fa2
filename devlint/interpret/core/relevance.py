"""The words without which a function has nothing to do with devices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

from devlint.facts.effect import Layer, Makes
from devlint.facts.table import FACTS, bound_to_cpu
from devlint.interpret.core.library_model import Libraries
from devlint.lower import ir
from devlint.lower.walk import by_type, definitions, outside, walk
from devlint.queries.dotted_names import last_word, path
from devlint.queries.loop_moves import names
from devlint.queries.name_conventions import is_main_guard, words_of
from devlint.values.device import ACCELERATORS

#: Moves, arrays, generators, checkpoints; loaders and engines that move; what takes arguments from
#: the CPU only.
SEEDS = (ACCELERATORS | bound_to_cpu()) | frozenset(
    "cpu numpy to Generator generator manual_seed save load load_url dump "
    "load_state_dict_from_url map_location set_default_device set_default_tensor_type "
    "to_empty reveal_device DataLoader RandomSampler random_split".split()
)
#: Words without which no code moves anything.
MOVING = ACCELERATORS | frozenset({"to", "device"})
#: What writes to the state of an optimizer that it has loaded.
RESTORES = frozenset({"load_state_dict", "state"})
#: What makes tensors. (`torch.Tensor` is in every annotation, `range` in every loop.)
MAKERS = frozenset(
    name.rpartition(".")[2]
    for name, each in FACTS.items()
    if isinstance(each, Makes) and name.startswith("torch.")
) - {"Tensor", "range"} | {"normal"}
#: PyTorch's layers that have parameters or buffers.
STATEFUL = frozenset(
    name.removeprefix("torch.nn.")
    for name, each in FACTS.items()
    if isinstance(each, Layer) and each.holds_state
)
#: Words of programs that handle devices.
HANDLES = ACCELERATORS | {"device", "is_cuda", "cpu", "map_location", "accelerator"}


class Brought(NamedTuple):
    """What a module brings in by imports: names of what has to do with devices, and of what makes
    tensors; and those that have the objects of a class, by its name."""

    known: frozenset[str] = frozenset()
    makers: frozenset[str] = frozenset()
    members: Mapping[str, frozenset[str]] = MappingProxyType({})

    def under(self, name: str, shown: str) -> Brought:
        """What one name says, under another, and what it has says by itself."""
        own = self.members.get(name, frozenset())
        known, makers = (
            side & own | ({shown} if name in side else set()) for side in (self.known, self.makers)
        )
        return Brought(known, makers, {shown: own} if own else {})

    @classmethod
    def of(cls, parts: Iterable[Brought]) -> Brought:
        every = [*parts]
        known = frozenset[str]().union(*(each.known for each in every))
        makers = frozenset[str]().union(*(each.makers for each in every))
        members = {name: own for each in every for name, own in each.members.items()}
        return cls(known, makers, members)


NOTHING_BROUGHT = Brought()


class Constant(NamedTuple):
    """A name, and the words of what it is assigned."""

    name: str
    words: frozenset[str]


class Seeds:
    """What says that a function has to do with devices: a seed, or a call of one that has; a
    factory, or a call of one that has that in it."""

    def __init__(
        self, module: ir.Module, libraries: Libraries[Any], brought: Brought = NOTHING_BROUGHT
    ) -> None:
        self.module, self.brought = module, brought
        #: Whether every function is taken for one that has to do with devices.
        self.takes_all = False
        #: The names of what other modules of the project have put something into.
        self.registries: set[str] = set()
        self.preparers = libraries.preparers
        self.known = set(SEEDS | libraries.words | brought.known)
        self.moving, self.handles = MOVING, HANDLES
        if libraries.project is not None:
            own = libraries.project.words
            own |= set(aliases(module, own))
            self.known |= own
            self.moving |= own
            self.handles |= libraries.devices
        self.definitions = tuple(definitions(module.body))
        self.known.update(node.name for node in self.definitions if defaults(node))
        pending = list(self.definitions)
        while found := [node for node in pending if not self.known.isdisjoint(node.words)]:
            self.known.update(node.name for node in found if node.name not in IMPLICIT)
            pending = [node for node in pending if self.known.isdisjoint(node.words)]
        made = MAKERS | brought.makers | frozenset(libraries.stateful(module))
        made |= {"getattr"} if takes_factories_by_name(module) else frozenset()
        made |= {"Tensor"} if calls_tensor(module) else frozenset()
        functions = [each for each in pending if isinstance(each, ir.Def)]
        classes = [each for each in pending if isinstance(each, ir.Class)]
        made |= leading_to(frozenset(e.name for e in classes if keeps_made(e, made)), classes)
        self.makers = leading_to(made, [*functions, *self.constants])

    @property
    def exported(self) -> Brought:
        """What all names of the module say."""
        own = {each.name for each in self.definitions} | self.variables
        brought = self.brought
        return Brought(
            frozenset(self.known & own) | brought.known,
            frozenset(self.makers & own) | brought.makers,
            self.members,
        )

    @property
    def members(self) -> dict[str, frozenset[str]]:
        """What classes define, or have from others, by their names."""
        found = dict(self.brought.members)
        for node in self.definitions:
            if isinstance(node, ir.Class):
                bases = (found.get(last_word(base), frozenset()) for base in node.bases)
                own = {each.name for each in definitions(node.body)} - IMPLICIT
                found[node.name] = frozenset(own).union(*bases)
        return found

    @cached_property
    def functions(self) -> dict[str, list[ir.Def]]:
        """The functions of the program, by name."""
        found: dict[str, list[ir.Def]] = {}
        for node in self.definitions:
            if isinstance(node, ir.Def):
                found.setdefault(node.name, []).append(node)
        return found

    @cached_property
    def naming(self) -> dict[str, list[ir.Def]]:
        """The functions in which the name of a function stands, by that name."""
        found: dict[str, list[ir.Def]] = {}
        for node in self.definitions:
            if isinstance(node, ir.Def):
                for name in self.functions.keys() & node.words:
                    found.setdefault(name, []).append(node)
        return found

    def callers(self, function: ir.Def) -> list[ir.Def]:
        """The other functions in which the name of one stands."""
        return [each for each in self.naming.get(function.name, ()) if each is not function]

    def callees(self, function: ir.Def) -> list[ir.Def]:
        """The functions whose names stand in one."""
        names = sorted(self.functions.keys() & function.words)
        return [each for name in names for each in self.functions[name]]

    def may_move(self, words: frozenset[str]) -> bool:
        """Whether code of these words may move something, by itself or by what it calls."""
        if not self.moving.isdisjoint(words):
            return True
        called = (each for each in self.definitions if each.name in words)
        return any(not self.moving.isdisjoint(each.words) for each in called)

    @cached_property
    def assignments(self) -> list[ir.Assign]:
        """The assignments of the program outside of functions."""
        statements = (node for each in self.module.body for node in outside(each))
        return [node for node in statements if isinstance(node, ir.Assign)]

    @cached_property
    def constants(self) -> list[Constant]:
        """What the program and its classes assign outside of functions."""
        bodies = (each.body for each in self.definitions if isinstance(each, ir.Class))
        own = (node for body in bodies for node in body if isinstance(node, ir.Assign))
        return [
            Constant(name, words_of(each.value))
            for each in (*self.assignments, *own)
            for target in each.targets
            for name in names(target)
        ]

    @cached_property
    def variables(self) -> frozenset[str]:
        """The names that the program assigns outside of functions."""
        return frozenset(n for each in self.assignments for t in each.targets for n in names(t))

    @cached_property
    def knows_devices(self) -> bool:
        """Whether a word of the file has to do with devices, or may move something."""
        return not self.module.words.isdisjoint(self.handles | self.moving)

    @cached_property
    def may_be_moved(self) -> bool:
        """Whether values may be on an accelerator: a script puts them there itself, if at all."""
        is_handled = not self.module.words.isdisjoint(self.handles)
        return is_handled or not any(map(self.is_work, self.module.body))

    def is_work(self, statement: ir.Statement) -> bool:
        """Whether a statement of the module does what scripts do, rather than define things. One
        that uses nothing of the module, such as a message, does not."""
        if not isinstance(statement, ir.If):
            return isinstance(statement, (ir.For, ir.While))
        used = frozenset().union(*map(words_of, statement.body))
        return is_main_guard(statement.test) and not used.isdisjoint(self.bound)

    @cached_property
    def bound(self) -> frozenset[str]:
        """The names that the program defines, imports and assigns outside of functions."""
        imports = (s for s in self.module.body if isinstance(s, (ir.Import, ir.ImportFrom)))
        imported = (alias or name.partition(".")[0] for s in imports for name, alias in s.names)
        return self.variables | {each.name for each in self.definitions} | {*imported}

    @cached_property
    def are_prepared(self) -> bool:
        """Whether loaders that are not in view may move batches: moving a part of one once more
        shows nothing of the rest."""
        return not self.module.words.isdisjoint(self.preparers)

    def looks_up(self, words: frozenset[str]) -> bool:
        """Whether code of these words may look into what others have put something into."""
        return not self.registries.isdisjoint(words)

    def are_in(self, words: frozenset[str]) -> bool:
        if self.takes_all or not self.known.isdisjoint(words) or self.looks_up(words):
            return True
        return not self.makers.isdisjoint(words) or words >= RESTORES


def takes_factories_by_name(module: ir.Module) -> bool:
    """Whether `getattr(torch, ..)` stands in it somewhere."""
    if "getattr" not in module.words:
        return False
    calls = (call for call in by_type(module)[ir.Call] if path(call.func) == ["getattr"])
    return any(call.args and path(call.args[0]) == ["torch"] for call in calls)


def builds_layer(method: ir.Def | ir.Lambda) -> bool:
    return isinstance(method, ir.Def) and not STATEFUL.isdisjoint(method.words)


def leading_to(
    words: frozenset[str], definitions: Iterable[ir.Def | ir.Class | Constant]
) -> frozenset[str]:
    """Words, and the names of what is defined in which one of them stands, or such a name."""
    pending = [each for each in definitions if each.name not in IMPLICIT]
    while found := {each.name for each in pending if not words.isdisjoint(each.words)}:
        words |= found
        pending = [each for each in pending if each.name not in found]
    return words


def calls_tensor(module: ir.Module) -> bool:
    """Whether `torch.Tensor` makes something in it, and does not only annotate."""
    if "Tensor" not in module.words:
        return False
    return any(path(call.func)[-1:] == ["Tensor"] for call in by_type(module)[ir.Call])


def keeps_made(owner: ir.Class, makers: frozenset[str]) -> bool:
    """Whether objects of a class keep what a factory gives, as it is or computed with."""
    if makers.isdisjoint(owner.words):
        return False
    kept = (
        words_of(node.value)
        for node in walk(owner)
        if isinstance(node, ir.Assign) and any(isinstance(t, ir.Attribute) for t in node.targets)
    )
    return any(not makers.isdisjoint(words) and "Parameter" not in words for words in kept)


def aliases(module: ir.Module, words: frozenset[str]) -> Iterator[str]:
    """The names under which a program imports what is called one of the words."""
    imports = (s for s in module.body if isinstance(s, (ir.Import, ir.ImportFrom)))
    for name, alias in (each for statement in imports for each in statement.names):
        if alias is not None and name.rpartition(".")[2] in words:
            yield alias


def defaults(node: ir.Def | ir.Class) -> bool:
    """Whether a function computes on an accelerator if it is not told otherwise."""
    return isinstance(node, ir.Def) and any(
        isinstance(each.default, ir.Constant)
        and isinstance(each.default.value, str)
        and each.default.value.partition(":")[0] in ACCELERATORS
        for each in node.params
    )


#: Called by every module or object: their names say nothing.
IMPLICIT = frozenset({"__init__", "forward", "__call__", "__enter__", "__exit__", "__getitem__"})
