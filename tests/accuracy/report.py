"""The page on accuracy: precision by what readers said, recall by fixed bugs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from math import sqrt
from typing import Any

from tests.accuracy.sample import (
    EIGHTH,
    ELEVENTH,
    FIFTH,
    FIRST,
    FOLDER,
    FOURTH,
    NINTH,
    SECOND,
    SEVENTH,
    SIXTH,
    TENTH,
    THIRD,
    TWELFTH,
    VERDICTS,
    Drawn,
    Study,
    read,
)

PAGE = FOLDER.parents[1] / "docs" / "accuracy.md"
#: The normal quantile of an interval that holds the true share in 95 of 100 samples.
QUANTILE = 1.96

HEAD = """\
# Accuracy

How often devlint is right, and what it finds, on code that nobody had looked at while its rules
were written. This page is made by `python -m tests.accuracy report` from
[testdata/accuracy](../testdata/accuracy/packages.txt).

## Precision

{packages} releases and repositories that are in no other list of this project were chosen, and
the list and a seed committed, before a finding was read: {lines:,} lines, with {shown} findings
that are shown by default ({density:.2f} in a thousand lines) and {low} of low confidence. Of a
rule with more than 30 findings 30 were drawn, of the others all; then more, so that what is
presumed has 40 where there are so many. Two readers, language models that were given a brief and
the code and not devlint's, judged each finding alone; the lower verdict counts.

- **true**: it is as the message says, and has the consequence.
- **harmless**: it is as the message says, and nobody is hurt where this code runs.
- **false**: it is not.

The shares of all findings weigh each rule by how many findings it has, the intervals are Wilson's
at 95 %.

"""

AGAIN = """
### After what that showed was mended

Then {packages} other releases were chosen, in the same way: {lines:,} lines, with {shown} findings
that are shown by default ({density:.2f} in a thousand lines), of which at most 15 of one rule were
read in the same way.

"""

YET_OTHER = """
### On yet other code

Then {packages} further releases were chosen: {lines:,} lines, with {shown} findings that are shown
by default ({density:.2f} in a thousand lines), of which at most 45 of one rule, and 6 of one rule
in one package, were read, by one reader.

"""

RESEARCH = """
### In repositories of research and teaching

Then {packages} repositories were chosen: {lines:,} lines, with {shown} findings that are shown by
default ({density:.2f} in a thousand lines), of which at most 40 of one rule, and 6 of one rule in
one repository, were read by two readers; the lower verdict counts. What was false is the next
thing to be mended.

"""

OTHERS = """
### In other repositories, later

Then {packages} other repositories were chosen: {lines:,} lines, with {shown} findings that are
shown by default ({density:.2f} in a thousand lines), of which at most 40 of one rule were read in
the same way. What was false was mended afterwards.

"""

YET_OTHERS = """
### And in yet others

Then {packages} more were chosen: {lines:,} lines, with {shown} findings that are shown by default
({density:.2f} in a thousand lines), of which at most 20 of one rule were read in the same way. What
was false was mended afterwards.

"""

ONCE_MORE = """
### Once more, with what is presumed

Then {packages} more were chosen: {lines:,} lines, with {shown} findings that are shown by default
({density:.2f} in a thousand lines), of which at most 20 of one rule were read, and 20 of what rests
on one presumption, in the same way. Most of what was false is in two repositories: tests of a
fixture that is the CPU, and scripts without an accelerator. It was mended afterwards, but for a
few.

"""

WHOLE = """
### And whole projects

Then {packages} more were chosen, and each was looked at as a whole: {lines:,} lines, with {shown}
findings that are shown by default ({density:.2f} in a thousand lines), of which at most 30 of one
rule were read, and 10 of what rests on one presumption, in the same way. Most of the false errors
are in three projects: fixtures that take fixtures, a parameter that two objects share, and a
function that is annotated to give a text. They were mended afterwards.

"""

WHOLE_AGAIN = """
### Whole projects, again

Then {packages} more were chosen and looked at as the ones before: {lines:,} lines, with {shown}
findings that are shown by default ({density:.2f} in a thousand lines), read in the same way. One
repository of student code has two in five of them, and most of its errors are true. Of the false
errors four are of one test, behind the budget of calls. What was false was mended afterwards, but
for a few.

"""

WHOLE_ONCE_MORE = """
### Whole projects, once more

Then {packages} more, mostly repositories of papers that nobody maintains: {lines:,} lines, with
{shown} findings that are shown by default ({density:.2f} in a thousand lines), read in the same
way. The rule for tensors without a device was wrong most often, above all about buffers that are
made anew and used nowhere as they are. Many of the harmless ones are saved files that are loaded
with a mapping, and accelerators named by programs that run nowhere else. Half of what was false was
mended afterwards.

"""

AFTER_LOW = """
### After what is harmless as a rule got low confidence

Then {packages} more: {lines:,} lines, with {shown} findings that are shown by default
({density:.2f} in a thousand lines), read in the same way. More than half of them are of two rules
about saved files, in programs of which many run on CUDA alone. Five of the seven false ones have
one cause, a batch that a program got by either of two calls. 16 of the literal accelerators stand
in one repository, behind `torch.cuda.set_device`. All but one of what was false, and those, were
mended afterwards.

"""

AFTER_MISLEADING = """
### After what programs written to mislead showed was mended

Then {packages} more: {lines:,} lines, with {shown} findings that are shown by default
({density:.2f} in a thousand lines), read in the same way. Of the 22 false errors 21 have one of
four causes: the results of a model out of view that are copied to the CPU, in the tests of one
repository; a test of whether a module is there; the keys of a state dict; a flag of how many
accelerators there are. These were mended afterwards.

"""

SEEN = """
## What is not seen

What an imported function or class does is known where it belongs to the project, to PyTorch, or to
a library that devlint [models](../devlint/models/libraries.py). Devices that a configuration file
chooses are one device, whatever it says. Code in strings, C++ and CUDA is not read.
"""


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
    later = [section(AGAIN, SECOND), section(YET_OTHER, THIRD), section(RESEARCH, FOURTH)]
    later += [section(OTHERS, FIFTH), section(YET_OTHERS, SIXTH), section(ONCE_MORE, SEVENTH)]
    later += [section(WHOLE, EIGHTH), section(WHOLE_AGAIN, NINTH)]
    later += [section(WHOLE_ONCE_MORE, TENTH), section(AFTER_LOW, ELEVENTH)]
    later.append(section(AFTER_MISLEADING, TWELFTH))
    return page(read(FIRST.sample), first, later, recall)
