"""What became of the findings of one program after one rewriting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from .exceptions import exceptions
from .places import Lines, Places, survivors
from .program import Program
from .rewriting import Rewriting


@dataclass(frozen=True)
class Outcome:
    """`before` are the findings that are to stay, `added` those that were not there."""

    program: Program
    rewriting: Rewriting
    text: str
    before: Places
    kept: Places
    added: Places

    @property
    def lost(self) -> Places:
        return self.before - self.kept

    @property
    def noise(self) -> Places:
        """What a silent case says now."""
        return self.added if self.program.is_silent else Counter()

    @property
    def unknown_noise(self) -> Places:
        is_known = exceptions().know(self.program.name, self.rewriting.name)
        return Counter() if is_known else self.noise


def outcomes(programs: Sequence[Program], rewritings: Iterable[Rewriting]) -> Iterator[Outcome]:
    """Of the rewritings that apply."""
    for rewriting in rewritings:
        for program in programs:
            rewritten = rewriting.text(program)
            if rewritten:
                yield outcome(program, rewriting, *rewritten)


def outcome(program: Program, rewriting: Rewriting, text: str, lines: Lines) -> Outcome:
    after = program.example.places_in(text)
    pairs = survivors(program.places, after, lines)
    before = expected(program.places, rewriting, lines)
    kept = Counter(old for old, _ in pairs)
    added = after - Counter(new for _, new in pairs)
    return Outcome(program, rewriting, text, before, before & kept, added)


def expected(places: Places, rewriting: Rewriting, lines: Lines) -> Places:
    """What has to stay. Of a rewriting that is reported only, what stands in the file still."""
    known = exceptions()
    return Counter(
        {
            (line, code): many
            for (line, code), many in places.items()
            if (rewriting.is_counted or line in lines)
            and not known.make_different(code, rewriting.name)
        }
    )
