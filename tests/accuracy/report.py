"""The page on accuracy: precision by what readers said, recall by fixed bugs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from math import sqrt
from typing import Any

from tests.accuracy.sample import FIRST, FOLDER, VERDICTS, Drawn, Study, read
from tests.accuracy.texts import HEAD, LATER, SEEN

PAGE = FOLDER.parents[1] / "docs" / "accuracy.md"
#: The normal quantile of an interval that holds the true share in 95 of 100 samples.
QUANTILE = 1.96


def page(
    sample: list[Drawn],
    population: dict[str, Any],
    later: list[str],
    recall: list[dict[str, Any]],
) -> str:
    shown = [each for each in sample if each.confidence != "low"]
    parts = [
        described(HEAD, population),
        totals(shown, population["shown"]),
        "\n### By rule\n\n",
        table("rule", rows(shown, lambda each: each.code)),
        "\n### By confidence\n\n",
        table("confidence", rows(sample, lambda each: each.confidence)),
        "\n### By presumption\n\n",
        table("presumption", rows(presumed(sample), lambda each: each.presumed[0])),
        *later,
        "\n## Recall\n\n",
        *(f"{each['text']}\n\n{caught(each['rows'])}\n" for each in recall),
        SEEN,
    ]
    return "".join(parts)


def described(text: str, population: dict[str, Any]) -> str:
    total = sum(population["shown"].values())
    return text.format(
        packages=population["packages"],
        lines=population["lines"],
        shown=total,
        density=1000 * total / population["lines"],
        low=population["low"],
    )


def totals(shown: list[Drawn], counts: dict[str, int]) -> str:
    errors = [each for each in shown if each.severity == "error"]
    return table("findings", [("all, weighted", *weighted(shown, counts)), *rows(errors, severity)])


def section(text: str, study: Study) -> str:
    """The part of the page on a later sample."""
    population = json.loads(study.population.read_text())
    shown = [each for each in read(study.sample) if each.confidence != "low"]
    by_rule = table("rule", rows(shown, lambda each: each.code))
    return f"{described(text, population)}{totals(shown, population['shown'])}\n{by_rule}"


def severity(each: Drawn) -> str:
    return f"{each.severity}s"


def presumed(sample: Iterable[Drawn]) -> list[Drawn]:
    return [each for each in sample if each.presumed]


Row = tuple[str, int, str, str]


def rows(sample: Iterable[Drawn], key: Callable[[Drawn], Hashable]) -> Iterator[Row]:
    """By a key: how many were read, the share that is true, and that which is not false."""
    for name, group in sorted(grouped(sample, key).items()):
        true, fair = counted(group)
        yield name, len(group), share(true, len(group)), share(fair, len(group))


def grouped(sample: Iterable[Drawn], key: Callable[[Drawn], Hashable]) -> dict[str, list[Drawn]]:
    groups: dict[str, list[Drawn]] = {}
    for each in sample:
        groups.setdefault(str(key(each)), []).append(each)
    return groups


def counted(read: list[Drawn]) -> tuple[int, int]:
    """How many are true, and how many are not false."""
    verdicts = Counter(each.verdict for each in read)
    return verdicts[VERDICTS[0]], len(read) - verdicts[VERDICTS[-1]]


def weighted(sample: Iterable[Drawn], counts: dict[str, int]) -> tuple[int, str, str]:
    """The same of all findings, by what is known of each rule."""
    groups = grouped(sample, lambda each: each.code)
    read, total = sum(map(len, groups.values())), sum(counts[code] for code in groups)
    weights = {code: counts[code] / total / len(drawn) for code, drawn in groups.items()}
    found = [(weights[code], *counted(drawn)) for code, drawn in groups.items()]
    true = sum(weight * number for weight, number, _ in found)
    fair = sum(weight * number for weight, _, number in found)
    return read, share(true * read, read), share(fair * read, read)


def share(part: float, whole: int) -> str:
    low, high = wilson(part, whole)
    return f"{100 * part / whole:.0f} % ({100 * low:.0f} to {100 * high:.0f})"


def wilson(part: float, whole: int) -> tuple[float, float]:
    """The interval of a share, from 0 to 1."""
    found, square = part / whole, QUANTILE**2
    middle = found + square / (2 * whole)
    width = QUANTILE * sqrt(found * (1 - found) / whole + square / (4 * whole**2))
    scale = 1 + square / whole
    return max(0.0, (middle - width) / scale), min(1.0, (middle + width) / scale)


def table(first: str, lines: Iterable[Row]) -> str:
    head = f"| {first} | read | true | true or harmless |\n| --- | ---: | ---: | ---: |\n"
    return head + "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def caught(lines: Iterable[tuple[str, int, int]]) -> str:
    head = "| bugs | caught | of | share |\n| --- | ---: | ---: | ---: |\n"
    return head + "".join(
        f"| {name} | {found} | {of} | {100 * found / of:.0f} % |\n" for name, found, of in lines
    )


def made() -> str:
    first = json.loads(FIRST.population.read_text())
    recall = json.loads((FOLDER / "recall.json").read_text())
    later = [section(text, study) for text, study in LATER]
    return page(read(FIRST.sample), first, later, recall)
