"""tqdm: progress bars, which give what they iterate over."""

from __future__ import annotations

from dataclasses import dataclass

from devlint.facts.effect import Fact
from devlint.interpret.core.call import Arguments
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.library_model import LibraryModel
from devlint.lower import ir
from devlint.values.value import NOTHING, Value


@dataclass(frozen=True, slots=True)
class Bar(Fact):
    """A progress bar."""


def made(machine: Run, fact: Bar, node: ir.Call, name: str, arguments: Arguments) -> Value:
    given = arguments.get(0, "iterable")
    return NOTHING if given is None else given.value


MODEL = LibraryModel[Run](
    packages=frozenset({"tqdm"}),
    patterns=((r"tqdm\.(\w+\.)*tqdm(_\w+)?", Bar("-iterable")),),
    handlers={Bar: made},
)
