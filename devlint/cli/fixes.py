"""What `devlint check` tells of fixes: the difference, the count and the list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from devlint.report.text import count
from devlint.run.outcome import Fixing, Outcome
from devlint.settings import Settings


def fixing(settings: Settings, *, diff: bool, silence: bool) -> Fixing | None:
    """What becomes of fixes, or of comments that silence; a difference is only shown, whatever
    else is asked for."""
    if diff:
        return "diff"
    if settings.fix_only or silence:
        return "fix-only"
    return "fix" if settings.fix else None


def difference(outcome: Outcome) -> Iterator[bytes]:
    from devlint.run.fix import diff

    for file in outcome.mended:
        yield from diff(file)


def told(outcome: Outcome) -> str:
    """What fixes come to, in a line."""
    if outcome.is_silencing:
        verb = "Would silence" if outcome.fixing == "diff" else "Silenced"
        silenced, files = count(outcome.fixed, "finding"), count(len(outcome.mended), "file")
        return f"{verb} {silenced} in {files}."
    verb = "Would apply" if outcome.fixing == "diff" else "Applied"
    done = count(outcome.fixed, "fix", "fixes")
    line = f"{verb} {done} in {count(len(outcome.mended), 'file')}."
    if not outcome.held_back:
        return line
    return f"{line} {outcome.held_back} more with `devlint --{outcome.fixing} --unsafe-fixes`."


def listed(outcome: Outcome) -> Iterator[str]:
    """The number of fixes in each file and of each rule."""
    for file in outcome.mended:
        yield f"{file.path}:"
        rules = Counter((each.code, each.name) for each in file.applied)
        for (code, name), number in sorted(rules.items()):
            yield f"    {number} x {code} {name}"
