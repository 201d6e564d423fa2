"""Models of libraries: what code that is not analysed does with devices."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeAlias, TypeVar

from devlint.facts.effect import Container, Fact, Opaque
from devlint.interpret.core.call import Call
from devlint.lower import ir
from devlint.lower.walk import by_type
from devlint.queries.dotted_names import path
from devlint.rule.analysis import Analysis
from devlint.values.device import ACCELERATORS, Device, On, named
from devlint.values.value import Value

#: The interpreter, which knows this module.
R = TypeVar("R")
#: What a call of a function with such a fact gives.
Handler: TypeAlias = Callable[[R, Any, Call], Value]
#: What an argument is that is annotated as something with such a fact.
Given: TypeAlias = Callable[[R, Any, ir.Parameter], Value]
#: What a call gives that nothing else is known of; None where the library has no word for it.
Guess: TypeAlias = Callable[[R, Call], Value | None]


@dataclass(frozen=True, kw_only=True)
class LibraryModel(Generic[R]):
    """What one library does with devices.

    `patterns` are facts by regular expressions, which match dotted names as a whole, below the
    `packages` of the library; the first that matches decides. `methods` are the facts of methods
    of objects, by the role that a fact gives them.

    `externals` are asked of calls of external code, `calls` of all methods of which the engine
    knows no more, by name. `analyses` run in every run.

    `words` are such as functions mention that have to do with devices by this library, `preparers`
    those of programs in which loaders may move batches by themselves; one that `moves` puts what it
    is given on an accelerator, unasked. `bases` are the ends of the
    names of classes that are modules, `counts` attributes that are numbers, `tensors` items and
    attributes of its batches that are tensors. `hooks` are methods that are given batches on the
    CPU, `grids` the roles of objects whose items have the same.
    """

    packages: frozenset[str] = frozenset()
    patterns: tuple[tuple[str, Fact], ...] = ()
    methods: Mapping[str, Mapping[str, Fact]] = field(default_factory=dict)
    handlers: Mapping[type[Fact], Handler[R]] = field(default_factory=dict)
    given: Mapping[type[Fact], Given[R]] = field(default_factory=dict)
    externals: tuple[Guess[R], ...] = ()
    calls: Mapping[str, Guess[R]] = field(default_factory=dict)
    analyses: tuple[type[Analysis[Any]], ...] = ()
    words: frozenset[str] = frozenset()
    preparers: frozenset[str] = frozenset()
    moves: bool = False
    bases: tuple[str, ...] = ()
    counts: frozenset[str] = frozenset()
    tensors: frozenset[str] = frozenset()
    hooks: frozenset[str] = frozenset()
    grids: frozenset[str] = frozenset()

    def fact(self, name: str) -> Fact | None:
        if name.partition(".")[0] not in self.packages:
            return None
        found = (fact for pattern, fact in self.patterns if re.fullmatch(pattern, name))
        return next(found, None)


class ProjectModel(LibraryModel[R]):
    """What a project says of its own names."""

    @property
    def devices(self) -> frozenset[str]:
        """Accelerators that PyTorch has no name for."""
        return frozenset()

    def method(self, run: R, call: Call) -> Value | None:
        """What a method of anything gives; None where nothing is said of it."""
        return None

    def attribute(self, run: R, node: ir.Attribute, whole: Value) -> Value | None:
        """What an attribute of anything gives; None where nothing is said of it."""
        return None


class Libraries(Generic[R]):
    """All models, as one."""

    def __init__(
        self, models: Iterable[LibraryModel[R]], project: ProjectModel[R] | None = None
    ) -> None:
        self.project = project
        self._models = (*((project,) if project else ()), *models)
        self._facts: dict[str, Fact | None] = {}
        self.packages = frozenset[str]().union(*(each.packages for each in self._models))
        self.methods = {
            role: facts for each in self._models for role, facts in each.methods.items()
        }
        self.handlers = {kind: do for each in self._models for kind, do in each.handlers.items()}
        self.given: dict[type[Fact], Given[R]] = {
            kind: make for each in self._models for kind, make in each.given.items()
        }
        self.externals = tuple(guess for each in self._models for guess in each.externals)
        self.calls: dict[str, Guess[R]] = {
            name: guess for each in self._models for name, guess in each.calls.items()
        }
        self.analyses = tuple(kind for each in self._models for kind in each.analyses)
        self.words = frozenset[str]().union(*(each.words for each in self._models))
        self.preparers = frozenset[str]().union(*(each.preparers for each in self._models))
        moving = (each.packages for each in self._models if each.moves)
        self.movers = frozenset[str]().union(*moving)
        self.bases = tuple(base for each in self._models for base in each.bases)
        self.counts = frozenset[str]().union(*(each.counts for each in self._models))
        self.tensors = frozenset[str]().union(*(each.tensors for each in self._models))
        self.hooks = frozenset[str]().union(*(each.hooks for each in self._models))
        self.grids = frozenset[str]().union(*(each.grids for each in self._models))
        self.devices = project.devices if project else frozenset()

    def fact(self, name: str) -> Fact | None:
        """The fact of a dotted name."""
        if name not in self._facts:
            found = (fact for each in self._models if (fact := each.fact(name)) is not None)
            self._facts[name] = next(found, None)
        return self._facts[name]

    def stateful(self, module: ir.Module) -> Iterator[str]:
        """The words of a program for classes of libraries that may have state, such as metrics."""
        named = dict(self.imported(module))
        libraries = {
            w: name for w, name in named.items() if name.partition(".")[0] in self.packages
        }
        facts = [(self.fact(name), word) for word, name in named.items()]
        for node in by_type(module)[ir.Attribute] if libraries else ():
            first, *rest = path(node) or [""]
            if first in libraries and rest:
                facts.append((self.fact(".".join([libraries[first], *rest])), rest[-1]))
        none = Opaque | Container | None
        yield from (word for fact, word in facts if not isinstance(fact, none))

    def imported(self, module: ir.Module) -> Iterator[tuple[str, str]]:
        """The names that a program imports, but modules of no library, with what they stand for."""
        for statement in module.body:
            if isinstance(statement, ir.ImportFrom):
                for name, alias in statement.names:
                    yield alias or name, f"{statement.module}.{name}"
            elif isinstance(statement, ir.Import):
                for name, alias in statement.names:
                    top = name.partition(".")[0]
                    if top in self.packages:
                        yield (alias, name) if alias else (top, top)

    def of_project(self, name: str) -> Fact | None:
        """The fact of a dotted name that the project gives, whatever it is elsewhere."""
        return self.project.fact(name) if self.project is not None else None

    def method(self, role: object, name: str) -> Fact | None:
        """The fact of a method of an object in a role."""
        return self.methods.get(role, {}).get(name) if isinstance(role, str) else None

    def external(self, run: R, call: Call) -> Value | None:
        """What a call of external code gives, if some library knows better than the engine."""
        found = (value for guess in self.externals if (value := guess(run, call)) is not None)
        return next(found, None)

    def device(self, text: str) -> Device | None:
        """The device that a string names, where PyTorch itself has none of that name."""
        kind, _, index = text.partition(":")
        if kind not in self.devices or (index and not index.isdecimal()):
            return None
        return Device(frozenset({On(kind, int(index) if index else None)}))

    def kind(self, prefix: str) -> Device | None:
        """The accelerator that `"cuda:"` starts to name."""
        kind, colon, rest = prefix.partition(":")
        if not colon or rest:
            return None
        return named(kind) if kind in ACCELERATORS else self.device(kind)
