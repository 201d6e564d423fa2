"""The baseline: findings that a project lives with, known again when lines move or names change."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from devlint.finding import Finding
from devlint.findings.fingerprint import Lines, normalised
from devlint.text.display_paths import route
from devlint.text.reading import read, reason

VERSION = 1
TOKEN = re.compile(r"\w+|\S")


class BaselineError(Exception):
    """A file that is no baseline; the message says why."""


@dataclass(frozen=True, slots=True, order=True)
class Entry:
    """One finding; `path` counts from the folder of the baseline, `context` is its line."""

    path: str
    code: str
    context: str


@dataclass(slots=True)
class Baseline:
    """`left` are the entries that no finding has met so far; each is met once."""

    file: str
    left: list[Entry] = field(default_factory=list)
    #: The paths, from the folder of the baseline, that were looked at.
    seen: set[str] = field(default_factory=set)

    @classmethod
    def read(cls, file: str) -> Baseline:
        """Raises `BaselineError`."""
        import json

        try:
            content = json.loads(read(file).decode())
        except OSError as error:
            is_missing = isinstance(error, FileNotFoundError)
            way = f"; `--write-baseline {file}` makes one" if is_missing else ""
            raise BaselineError(f"cannot read the baseline {file}: {reason(error)}{way}") from error
        except (ValueError, RecursionError) as error:
            raise BaselineError(f"{file} is not a valid baseline: {error}") from error
        return cls(file, [*entries(content, file)])

    @property
    def folder(self) -> str:
        return os.path.dirname(os.path.abspath(self.file))

    def known(self, path: str, findings: Sequence[Finding], lines: Lines) -> list[Finding]:
        """The findings of a file that have an entry.

        First those whose line is as it was, then those where one name has become another, then
        those of a file that has another path now.
        """
        own = route(path, self.folder)
        self.seen.add(own)
        pairs = [(each, Entry(own, each.code, normalised(each, lines))) for each in findings]
        known: list[Finding] = []
        for is_met in (is_as_it_was, is_renamed, self.is_moved):
            for finding, entry in pairs:
                if finding not in known and self._meet(entry, is_met):
                    known.append(finding)
        return known

    def stale(self, active: Iterable[str]) -> list[Entry]:
        """The entries of files that were looked at, or are gone, whose findings are no more.

        `active` are the codes of the rules that ran.
        """
        codes = {*active}
        return [
            each
            for each in self.left
            if each.code in codes and (each.path in self.seen or self.is_gone(each.path))
        ]

    def is_moved(self, old: Entry, new: Entry) -> bool:
        is_alike = (old.code, old.context) == (new.code, new.context)
        return is_alike and old.path != new.path and self.is_gone(old.path)

    def is_gone(self, path: str) -> bool:
        return not os.path.exists(os.path.join(self.folder, path))

    def _meet(self, new: Entry, is_met: Callable[[Entry, Entry], bool]) -> bool:
        """Use up an entry."""
        old = next((each for each in self.left if is_met(each, new)), None)
        if old is not None:
            self.left.remove(old)
        return old is not None


def entries(content: object, file: str) -> Iterator[Entry]:
    if not isinstance(content, dict) or content.get("version") != VERSION:
        raise BaselineError(f"{file} is a baseline of another version of devlint")
    folder = os.path.dirname(os.path.abspath(file))
    try:
        for each in content["findings"]:
            path = route(os.path.join(folder, str(each["path"])), folder)
            yield Entry(path, str(each["code"]), str(each["context"]))
    except (KeyError, TypeError) as error:
        raise BaselineError(
            f"{file} is not a valid baseline: it has no list of findings"
        ) from error


def is_as_it_was(old: Entry, new: Entry) -> bool:
    return old == new


def is_renamed(old: Entry, new: Entry) -> bool:
    """Whether the lines are the same but for one name, wherever it stands."""
    if (old.path, old.code) != (new.path, new.code):
        return False
    before, after = TOKEN.findall(old.context), TOKEN.findall(new.context)
    if len(before) != len(after):
        return False
    changed = {pair for pair in zip(before, after, strict=True) if pair[0] != pair[1]}
    return len(changed) == 1 and all(name.isidentifier() for pair in changed for name in pair)


def written(
    file: str, findings: Iterable[Finding], lines: Lines, paths: Iterable[str]
) -> Iterator[str]:
    """The lines of a baseline of these findings in a file.

    `paths` were looked at: of other files what the baseline had stays.
    """
    import json

    baseline = Baseline(file)
    if os.path.exists(file):
        baseline = Baseline.read(file)
    looked_at = {route(path, baseline.folder) for path in paths}
    kept = [
        each
        for each in baseline.left
        if each.path not in looked_at and not baseline.is_gone(each.path)
    ]
    new = (
        Entry(route(each.path, baseline.folder), each.code, normalised(each, lines))
        for each in findings
    )
    rows = [
        json.dumps({"path": each.path, "code": each.code, "context": each.context})
        for each in sorted([*kept, *new])
    ]
    # A line for each, so that versions of the file merge and compare well.
    yield f'{{"version": {VERSION}, "findings": ['
    yield from (f"  {row}," for row in rows[:-1])
    yield from (f"  {row}" for row in rows[-1:])
    yield "]}"
