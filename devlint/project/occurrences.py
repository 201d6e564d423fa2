"""In which files of a run a word occurs."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

from devlint.project.modules import Module

WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)
DEFINED = re.compile(r"^[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)", re.M | re.ASCII)


class Occurrences:
    """The modules that are looked at, with what each of them imports, and the `text` of each."""

    def __init__(
        self,
        used: Mapping[Module, Iterable[Module]],
        text: Callable[[Module], str | None],
    ) -> None:
        self.modules = tuple(used)
        self._text = text
        self._used = {module: {*others} - {module} for module, others in used.items()}
        self._users = inverted(self._used)
        self._known_to: dict[Module, set[Module]] = {}

    def is_imported(self, module: Module) -> bool:
        """Whether another one imports a module: who uses it is among them."""
        return module in self._users

    def imported(self, modules: Iterable[Module]) -> set[Module]:
        """What modules import, directly or not."""
        return closure(modules, self._used)

    def importers(self, modules: Iterable[Module]) -> set[Module]:
        """Modules, and what imports one of them, directly or not."""
        found = set(modules)
        return found | closure(found, self._users)

    def knows(self, one: Module, other: Module) -> bool:
        """Whether a module is, or imports, another one, directly or not."""
        if other not in self._known_to:
            self._known_to[other] = self.importers([other])
        return one in self._known_to[other]

    def of(self, word: str) -> Sequence[Module]:
        """The modules in whose texts a word stands, comments included."""
        if word not in self._index:
            pattern = re.compile(rf"\b{re.escape(word)}\b")
            texts = ((each, self._text(each) or "") for each in self.modules)
            # Most texts lack it, which `in` sees in a tenth of the time.
            found = [each for each, text in texts if word in text and pattern.search(text)]
            self._index[word] = found
        return self._index[word]

    @cached_property
    def _index(self) -> dict[str, list[Module]]:
        """Where the names stand of all that the modules define, and what else was asked for."""
        texts = [(each, self._text(each) or "") for each in self.modules]
        defined = {name for _, text in texts for name in DEFINED.findall(text)}
        index = defaultdict[str, list[Module]](list)
        for module, text in texts:
            for word in defined.intersection(WORD.findall(text)):
                index[word].append(module)
        return dict(index)


def inverted(used: Mapping[Module, Iterable[Module]]) -> dict[Module, set[Module]]:
    found = defaultdict[Module, set[Module]](set)
    for module, others in used.items():
        for other in others:
            found[other].add(module)
    return dict(found)


def closure(modules: Iterable[Module], edges: Mapping[Module, set[Module]]) -> set[Module]:
    """What edges lead to from some modules, one after another."""
    found, pending = set[Module](), list(modules)
    while pending:
        new = edges.get(pending.pop(), set()) - found
        found |= new
        pending += new
    return found
