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
        self._imported = {
            other for module, others in used.items() for other in others if other != module
        }

    def is_imported(self, module: Module) -> bool:
        """Whether another one imports a module: who uses it is among them."""
        return module in self._imported

    def of(self, word: str) -> Sequence[Module]:
        """The modules in whose texts a word stands, comments included."""
        if word in self._index:
            return self._index[word]
        pattern = re.compile(rf"\b{re.escape(word)}\b")
        return [each for each in self.modules if pattern.search(self._text(each) or "")]

    @cached_property
    def _index(self) -> Mapping[str, Sequence[Module]]:
        """Where the names stand of all that the modules define."""
        texts = [(each, self._text(each) or "") for each in self.modules]
        defined = {name for _, text in texts for name in DEFINED.findall(text)}
        index = defaultdict[str, list[Module]](list)
        for module, text in texts:
            for word in defined.intersection(WORD.findall(text)):
                index[word].append(module)
        return index
