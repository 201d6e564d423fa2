"""What has changed since a revision of git: which files, and which of their lines."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from devlint.document.program import Document
from devlint.document.reader import document
from devlint.files.git import GitError, git
from devlint.finding import Finding, Related
from devlint.text.reading import read
from devlint.text.source_text import UndecodableError

#: A cell, None outside notebooks, and a line.
Place: TypeAlias = tuple[int | None, int]


class RevisionError(Exception):
    """A revision that nothing can be compared with; the message says why."""


@dataclass(frozen=True)
class Changes:
    """What differs from a revision in the working tree of a repository with this top folder."""

    revision: str
    top: str

    @classmethod
    def since(cls, revision: str) -> Changes:
        """In the repository of the working directory. Raises `RevisionError`."""
        try:
            top = git("rev-parse", "--show-toplevel").decode(errors="surrogateescape").strip()
        except GitError as error:
            raise RevisionError(f"--diff-base needs a git repository: {error}") from error
        try:
            git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        except GitError as error:
            raise RevisionError(f"git knows no revision {revision!r}{shallowness()}") from error
        return cls(revision, top)

    def may_hold(self, path: str) -> bool:
        """Whether a file is not, byte for byte, as it was in the revision."""
        before = self._before(path)
        try:
            return before is None or before != identity(read(path), before)
        except OSError:
            return True  # Which the run reports.

    def miss(self, path: str, data: bytes, findings: Sequence[Finding]) -> list[Finding]:
        """The findings of a file that tell of no place on a line that has changed, and of none on
        both sides of lines that were taken out, a move perhaps."""
        if not findings:
            return []
        before = self._before(path)
        try:
            base = git("cat-file", "blob", before, top=self.top) if before else b""
        except GitError as error:
            raise RevisionError(f"cannot compare {path} with {self.revision}: {error}") from error
        difference = Difference.of(base, document(path, data), path)
        return [each for each in findings if not difference.touches(frozenset(places(each)))]

    def _before(self, path: str) -> str | None:
        """The object of a file in the revision, under the name that it had there."""
        name = os.path.relpath(os.path.realpath(path), self.top).replace(os.sep, "/")
        return self._objects.get(self._renamed.get(name, name))

    @cached_property
    def _objects(self) -> dict[str, str]:
        output = git("ls-tree", "-r", "-z", "--full-tree", self.revision, top=self.top)
        rows = (row.partition("\t") for row in output.decode(errors="surrogateescape").split("\0"))
        return {name: about.split(" ")[2] for about, _, name in rows if name}

    @cached_property
    def _renamed(self) -> dict[str, str]:
        """What the files that the index has under another name were called."""
        arguments = ("--cached", "--name-status", "--diff-filter=R", "-z", "-M")
        output = git("diff-index", *arguments, self.revision, "--", top=self.top)
        fields = output.decode(errors="surrogateescape").split("\0")
        return dict(zip(fields[2::3], fields[1::3], strict=False))


def identity(data: bytes, like: str) -> str:
    """The name that git gives an object of this content; `like` is one of the same repository."""
    import hashlib

    kind = "sha1" if len(like) == 40 else "sha256"
    return hashlib.new(kind, b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def places(finding: Finding) -> Iterator[Place]:
    """Every line that a finding tells of."""
    told: list[Finding | Related] = [finding, *finding.related]
    for each in told:
        for line in range(each.span.line, each.span.end_line + 1):
            yield each.span.cell, line


def shallowness() -> str:
    """What to do in a clone that may lack the revision, as those of CI do."""
    is_shallow = git("rev-parse", "--is-shallow-repository").strip() == b"true"
    return "; this clone is shallow: `git fetch --unshallow` brings the rest" if is_shallow else ""


@dataclass(frozen=True, slots=True)
class Difference:
    """The lines of a document that were not there before, and those before which others were."""

    new: frozenset[Place]
    gone: frozenset[Place]

    @classmethod
    def of(cls, base: bytes, now: Document, path: str) -> Difference:
        from difflib import SequenceMatcher

        try:
            before = document(path, base) if base else None
        except UndecodableError:
            before = None
        old = [text for _, text in lines(before)] if before else []
        after = [*lines(now)]
        matcher = SequenceMatcher(None, old, [text for _, text in after], autojunk=False)
        hunks = [each for each in matcher.get_opcodes() if each[0] != "equal"]
        new = (place for *_, first, last in hunks for place, _ in after[first:last])
        gone = (
            place for kind, *_, at, _ in hunks if kind != "insert" for place, _ in after[at:][:1]
        )
        return cls(frozenset(new), frozenset(gone))

    def touches(self, told: frozenset[Place]) -> bool:
        """Whether one of some places is new, or something has gone between two of them."""
        cells = {cell: [line for other, line in told if other == cell] for cell, _ in told}
        between = any(
            cell in cells and min(cells[cell]) < line <= max(cells[cell])
            for cell, line in self.gone
        )
        return between or not self.new.isdisjoint(told)


def lines(one: Document) -> Iterator[tuple[Place, str]]:
    """Every line of a document."""
    for cell in one.code_cells:
        for number, text in enumerate(one.lines(cell), 1):
            yield (cell, number), text
