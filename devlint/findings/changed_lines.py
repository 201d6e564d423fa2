"""What has changed since a revision of git: which files, and which of their lines."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from devlint.document.program import Document
from devlint.document.reader import document
from devlint.finding import Finding, Related
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
        except RevisionError as error:
            raise RevisionError(f"--diff-base needs a git repository: {error}") from error
        try:
            git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        except RevisionError as error:
            raise RevisionError(f"git knows no revision {revision!r}{shallowness()}") from error
        return cls(revision, top)

    def may_hold(self, path: str) -> bool:
        """Whether a file has changed, or is not in the revision at all."""
        name = self._name(path)
        return name in self._before or name not in self._tracked

    def miss(self, path: str, data: bytes, findings: Sequence[Finding]) -> list[Finding]:
        """The findings of a file that tell of no place on a line that has changed."""
        if not findings:
            return []
        lines = frozenset(changed(self._base(path), document(path, data), path))
        return [each for each in findings if lines.isdisjoint(places(each))]

    def _base(self, path: str) -> bytes:
        """The file in the revision, under the name that it had there; empty if it is new."""
        name = self._before.get(self._name(path))
        return git("cat-file", "blob", f"{self.revision}:{name}", top=self.top) if name else b""

    def _name(self, path: str) -> str:
        return os.path.relpath(os.path.realpath(path), self.top).replace(os.sep, "/")

    @cached_property
    def _before(self) -> dict[str, str | None]:
        """The files that changed, and what they were called."""
        output = git("diff", "--name-status", "-z", "-M", self.revision, "--", top=self.top)
        fields = iter(output.decode(errors="surrogateescape").split("\0"))
        before: dict[str, str | None] = {}
        for status in fields:
            if status.startswith(("R", "C")):
                old = next(fields)
                before[next(fields)] = old
            elif status:
                name = next(fields)
                before[name] = None if status == "A" else name
        return before

    @cached_property
    def _tracked(self) -> frozenset[str]:
        output = git("ls-files", "-z", top=self.top)
        return frozenset(output.decode(errors="surrogateescape").split("\0"))


def places(finding: Finding) -> Iterator[Place]:
    """Every line that a finding tells of."""
    told: list[Finding | Related] = [finding, *finding.related]
    for each in told:
        for line in range(each.span.line, each.span.end_line + 1):
            yield each.span.cell, line


def git(*arguments: str, top: str = ".") -> bytes:
    """What git prints. Raises `RevisionError` with what it complains of."""
    import subprocess

    try:
        ran = subprocess.run(["git", "-C", top, *arguments], capture_output=True, check=False)
    except OSError as error:
        raise RevisionError("git is not installed") from error
    if ran.returncode:
        raise RevisionError(ran.stderr.decode(errors="replace").strip().removeprefix("fatal: "))
    return ran.stdout


def shallowness() -> str:
    """What to do in a clone that may lack the revision, as those of CI do."""
    is_shallow = git("rev-parse", "--is-shallow-repository").strip() == b"true"
    return "; this clone is shallow: `git fetch --unshallow` brings the rest" if is_shallow else ""


def changed(base: bytes, now: Document, path: str) -> Iterator[Place]:
    """The places of a document that were not there before."""
    from difflib import SequenceMatcher

    try:
        before = document(path, base) if base else None
    except UndecodableError:
        before = None
    old = [text for _, text in lines(before)] if before else []
    new = [*lines(now)]
    matcher = SequenceMatcher(None, old, [text for _, text in new], autojunk=False)
    for kind, _, _, first, last in matcher.get_opcodes():
        if kind != "equal":
            yield from (place for place, _ in new[first:last])


def lines(one: Document) -> Iterator[tuple[Place, str]]:
    """Every line of a document."""
    for cell in one.code_cells:
        for number, text in enumerate(one.lines(cell), 1):
            yield (cell, number), text
