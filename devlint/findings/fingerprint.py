"""Names for findings that they keep when lines move, for baselines and the readers of reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from devlint.finding import Finding
from devlint.text.display_paths import relative

#: The lines of a path, or of a cell of it.
Lines: TypeAlias = Callable[[str, int | None], Sequence[str]]


def fingerprints(findings: Iterable[Finding], lines: Lines) -> Iterator[str]:
    """A name for each finding: unlike all others, and the same in every run over the same text.

    It is made of the code, the path, the text of the line without what a formatter changes, and how
    many like it came before.
    """
    from hashlib import sha256

    seen: Counter[tuple[str, ...]] = Counter()
    for finding in findings:
        context = (finding.code, relative(finding.path), normalised(finding, lines))
        seen[context] += 1
        text = "\0".join((*context, str(seen[context])))
        yield sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def normalised(finding: Finding, lines: Lines) -> str:
    """The finding's first line, without what a formatter changes."""
    text = lines(finding.path, finding.span.cell)
    number = finding.span.line
    return " ".join(text[number - 1].split()) if number <= len(text) else ""
