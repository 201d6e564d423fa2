"""tqdm: progress bars, which give what they iterate over."""

from __future__ import annotations

from dataclasses import dataclass

from devlint.facts.effect import Fact
from devlint.interpret.core.call import Call
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.library_model import LibraryModel
from devlint.values.value import NOTHING, Value


@dataclass(frozen=True, slots=True)
class Bar(Fact):
    """A progress bar."""


def made(machine: Run, fact: Bar, call: Call) -> Value:
    given = call.arguments.get(0, "iterable")
    return NOTHING if given is None else given.value


MODEL = LibraryModel[Run](
    packages=frozenset({"tqdm"}),
    patterns=((r"tqdm\.(\w+\.)*tqdm(_\w+)?", Bar("-iterable")),),
    handlers={Bar: made},
)
