"""How many findings survive, by rewriting and by rule."""

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


#: What has to survive of all findings, and of those that one rewriting meets.
OVERALL, EACH = 0.95, 0.85


@dataclass(frozen=True)
class Score:
    """The outcomes of rewritings, of `programs` in all."""

    programs: Sequence[Program]
    outcomes: Sequence[Outcome]

    @property
    def passes(self) -> bool:
        shares = (share(each) for each in by_rewriting(self.counted).values())
        is_quiet = not any(each.unknown_noise for each in self.outcomes)
        return is_quiet and share(self.counted) >= OVERALL and all(each >= EACH for each in shares)

    @property
    def counted(self) -> list[Outcome]:
        return [each for each in self.outcomes if each.rewriting.is_counted]

    def table(self) -> Iterator[str]:
        """A line for each rewriting, for all that count, and for each rule."""
        yield line("rewriting", "applied excluded silent findings survived share noise".split())
        for name, group in by_rewriting(self.outcomes).items():
            yield line(name, self.row(group), "" if group[0].rewriting.is_counted else "reported")
        yield line("all", self.row(self.counted))
        yield ""
        yield line("rule", ["findings", "survived", "share"])
        for code, (before, kept) in sorted(by_rule(self.counted).items()):
            yield line(code, [before, kept, f"{kept / before:.1%}"])

    def row(self, group: Sequence[Outcome]) -> list[object]:
        firing = sum(not each.program.is_silent for each in group)
        many = len({each.rewriting for each in group})
        excluded = many * sum(not each.is_silent for each in self.programs) - firing
        before, kept = total(each.before for each in group), total(each.kept for each in group)
        noise = total(each.noise for each in group)
        return [firing, excluded, len(group) - firing, before, kept, f"{share(group):.1%}", noise]


def line(name: str, cells: Iterable[object], note: str = "") -> str:
    return f"{name:16}" + "".join(f"{cell:>10}" for cell in cells) + f"  {note}".rstrip()


def by_rewriting(outcomes: Iterable[Outcome]) -> dict[str, list[Outcome]]:
    groups: dict[str, list[Outcome]] = {}
    for each in outcomes:
        groups.setdefault(each.rewriting.name, []).append(each)
    return groups


def by_rule(outcomes: Iterable[Outcome]) -> dict[str, tuple[int, int]]:
    """How many findings of each rule are to stay, and how many do."""
    before, kept = Counter[str](), Counter[str]()
    for each in outcomes:
        before.update(code for _, code in each.before.elements())
        kept.update(code for _, code in each.kept.elements())
    return {code: (before[code], kept[code]) for code in before}


def share(outcomes: Sequence[Outcome]) -> float:
    """Of the findings that are to stay. Where there are none, none is lost."""
    before = total(each.before for each in outcomes)
    return total(each.kept for each in outcomes) / before if before else 1.0


def total(counters: Iterable[Counter[tuple[int, str]]]) -> int:
    return sum(map(Counter.total, counters))
