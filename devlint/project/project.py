"""A project: its modules, their texts and what they are lowered to."""

from __future__ import annotations

import gc
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Generic, NamedTuple, TypeVar, cast

from devlint.document.reader import document
from devlint.lower.lowered import Lowered
from devlint.project.dependencies import Asked
from devlint.project.files import Files
from devlint.project.installed import NOTHING, Installed
from devlint.project.modules import Module, Modules, hints
from devlint.project.occurrences import Occurrences
from devlint.text.source_text import UndecodableError

Answer = TypeVar("Answer")
Kept = TypeVar("Kept")

#: How many characters of text are kept, and how many lowered, at the same time.
KEPT = 10_000_000
#: What changes the default device of the program.
SETTERS = ("set_default_device", "set_default_tensor_type")
#: Longer modules are not looked into.
LONGEST = 1_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """The text of a module, lowered."""

    module: Module
    text: str
    lowered: Lowered
    #: By which nodes tell that they are of it.
    number: int
    #: What others know of it as long as it is kept.
    kept: dict[Hashable, object] = field(default_factory=dict)

    def once(self, question: Callable[..., Answer], *given: Hashable) -> Answer:
        """What a question about the program is answered, asked only once as long as it is kept."""
        key = (question, *given)
        if key not in self.kept:
            self.kept[key] = question(self.lowered.module, *given)
        return cast(Answer, self.kept[key])


class Project:
    """Modules are read and lowered when somebody asks for them."""

    def __init__(
        self, files: Files, roots: Sequence[str] = (), installed: Installed = NOTHING
    ) -> None:
        self.files = files
        self.modules = Modules(files, roots, installed)
        self._setting: dict[Module, bool] = {}
        #: What others know of its modules, as long as the project is looked at.
        self.kept: dict[Hashable, object] = {}
        #: Of the modules that are looked at; None where more may use what they define.
        self.occurrences: Occurrences | None = None
        self._sources = Recent[Source](KEPT)
        self._texts = Recent[str](KEPT)
        self._numbers = count()

    def look_at(self, used: Mapping[Module, Iterable[Module]]) -> None:
        """Say which modules are looked at, each with what it imports."""
        self.occurrences = Occurrences(used, self.text)

    def sets_default(self, module: Module) -> bool:
        if module not in self._setting:
            text = self.text(module) or ""
            self._setting[module] = any(word in text for word in SETTERS)
        return self._setting[module]

    def source(self, module: Module) -> Source | None:
        """A module lowered; None where it cannot be."""
        return self._sources.get(module, lambda: self._lowered(module))

    def tidy(self) -> None:
        """Collect what is no longer kept, and refers to itself, once that is much."""
        if self._sources.dropped > KEPT // 4:
            self._sources.dropped = 0
            gc.collect()

    def forget(self) -> None:
        """Let go of what is known of modules, which may be half done where asking was ended."""
        self.kept.clear()
        self._sources = Recent[Source](KEPT)

    def text(self, module: Module) -> str | None:
        """None where there is none, it cannot be read, or is too long."""
        return self._texts.get(module, lambda: self._read(module))

    def _lowered(self, module: Module) -> tuple[Source | None, int]:
        text = self.text(module)
        found = None if text is None else lowered(module, text, next(self._numbers))
        return found, 0 if found is None else len(found.text)

    def _read(self, module: Module) -> tuple[str | None, int]:
        if module.is_namespace:
            return None, 0
        try:
            data = self.files.read(module.path)
            programs = document(module.path, data).programs
        except (OSError, UndecodableError):
            return None, 0
        text = programs[0].text if len(programs) == 1 else None
        return (None, 0) if text is None or len(text) > LONGEST else (text, len(text))


class Recent(Generic[Kept]):
    """What is known of modules: of what was asked for last, as much as comes to a length."""

    def __init__(self, length: int) -> None:
        self._left = length
        #: How long what is no longer kept was.
        self.dropped = 0
        self._known: OrderedDict[Module, tuple[Kept | None, int]] = OrderedDict()

    def get(self, module: Module, found: Callable[[], tuple[Kept | None, int]]) -> Kept | None:
        """What is known of a module, else what is `found` then, with how long that is."""
        if module in self._known:
            self._known.move_to_end(module)
        else:
            self._known[module] = one = found()
            self._left -= one[1]
            while self._left < 0 and len(self._known) > 1:
                _, (_, length) = self._known.popitem(last=False)
                self._left += length
                self.dropped += length
        return self._known[module][0]

    def known(self, module: Module) -> Kept | None:
        """What is kept of a module; asking does not make it last longer."""
        return self._known.get(module, (None, 0))[0]


def lowered(module: Module, text: str, number: int) -> Source | None:
    from devlint.lower import from_ast

    try:
        return Source(module, text, from_ast.lower(text, number), number)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


@dataclass(frozen=True, slots=True)
class Uses:
    """What others of a project have called of a module, by its place among the definitions there.

    `placed` are the functions that they have given something that may be on an accelerator, `made`
    the constructors that they have called.
    """

    placed: frozenset[int] = frozenset()
    made: frozenset[int] = frozenset()

    def __or__(self, other: Uses) -> Uses:
        return Uses(self.placed | other.placed, self.made | other.made)


#: Nobody is known to use it.
UNUSED = Uses()


class Used(NamedTuple):
    """A module that a program has used, and how."""

    source: Source
    uses: Uses


@dataclass(frozen=True, slots=True)
class Place:
    """Where in which project a program stands, its text, and how others use it."""

    project: Project
    module: Module
    text: str
    uses: Uses = UNUSED

    @property
    def asked(self) -> Asked:
        """What the program has asked of the project."""
        return self.project.modules.asked[self.module.path]

    def find(self, dotted: str) -> Module | None:
        """The module that the program means by a dotted name."""
        return self.project.modules.find(dotted, self.module, self.text)

    @property
    def is_whole(self) -> bool:
        """Whether the whole project is looked at."""
        is_searched = self.project.occurrences is not None
        return is_searched and self.project.modules.is_whole(self.module)

    def naming(self, word: str) -> Sequence[Module] | None:
        """The modules in which a word stands; None unless the whole project is looked at."""
        occurrences = self.project.occurrences
        if occurrences is None or not self.is_whole:
            return None
        self.asked.words.add(word)
        return occurrences.of(word)

    def is_known_to(self, other: Module) -> bool:
        """Whether another module imports the program, be it by others, or is it."""
        occurrences = self.project.occurrences
        return occurrences is None or occurrences.knows(other, self.module)

    @property
    def is_used(self) -> bool:
        """Whether something looked at imports the program, or it does something by itself."""
        occurrences = self.project.occurrences
        is_imported = occurrences is not None and occurrences.is_imported(self.module)
        return is_imported or hints(self.text)[1]

    @property
    def is_distributed(self) -> bool:
        """Whether others than the project may install the program, and use it."""
        return self.project.modules.is_distributed(self.module)

    def sets_default(self, module: Module) -> bool:
        """Whether a module may change the default device of who imports it, by its text."""
        self.asked.texts.add(module.path)
        return self.project.sets_default(module)
