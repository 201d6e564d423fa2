"""What an editor may do about findings: mend one, silence one, mend all."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from lsprotocol import types

from devlint.finding import Edit, Finding, Span
from devlint.findings.suppression_edits import Silencer
from devlint.server.analysis import Analysis
from devlint.server.buffer import Part
from devlint.server.diagnostics import SOURCE, Places

QUICK = types.CodeActionKind.QuickFix
#: A line with its end, as all editors count lines.
LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
FIX_ALL = f"{types.CodeActionKind.SourceFixAll.value}.{SOURCE}"


class Actions:
    """Those for one analysis. `has_changes`: the editor knows edits of a version of a text."""

    def __init__(self, analysis: Analysis, encoding: str | None, *, has_changes: bool) -> None:
        self.buffer = analysis.buffer
        self.findings = analysis.findings or ()
        self.places = Places(analysis, encoding)
        self.has_changes = has_changes

    def at(self, uri: str, range_: types.Range) -> Iterator[types.CodeAction]:
        """Quick fixes of what is found in a range of a text, the safe ones first."""
        near = [
            each
            for each in self.findings
            if self.places.location(each).uri == uri
            and overlap(self.places.location(each).range, range_)
        ]
        yield from filter(None, map(self.fix, sorted(near, key=is_unsafe)))
        yield from filter(None, map(self.silence, near))

    def fix(self, finding: Finding) -> types.CodeAction | None:
        fix = finding.fix
        if fix is None:
            return None
        hint = "" if fix.safety == "safe" else f" ({fix.label})"
        return types.CodeAction(
            f"{SOURCE}: {fix.message}{hint}",
            QUICK,
            diagnostics=[self.places.diagnostic(finding)],
            is_preferred=fix.safety == "safe",
            edit=self.edit(self.by_part(fix.edits)),
        )

    def silence(self, finding: Finding) -> types.CodeAction | None:
        part = self.buffer.part(finding.span.cell)
        silencer = Silencer(part.text)
        line = silencer.line(finding.span.line)
        if line is None:
            return None
        edit = silencer.edit(line, [finding.code])
        return types.CodeAction(
            f"{SOURCE}: ignore {finding.code} on this line",
            QUICK,
            diagnostics=[self.places.diagnostic(finding)],
            edit=self.edit([(part, [edit])]),
        )

    def all(self, texts: Sequence[str]) -> types.CodeAction | None:
        """One action that takes the parts to these texts."""
        parts = zip(self.buffer.parts, texts, strict=True)
        changes = [(p, [*between(p.text, text)]) for p, text in parts if text != p.text]
        if not changes:
            return None
        return types.CodeAction(
            f"{SOURCE}: fix all that is safe to fix", FIX_ALL, edit=self.edit(changes)
        )

    def by_part(self, edits: Sequence[Edit]) -> list[tuple[Part, list[Edit]]]:
        cells = sorted({each.span.cell or 1 for each in edits})
        return [
            (self.buffer.part(cell), [each for each in edits if (each.span.cell or 1) == cell])
            for cell in cells
        ]

    def edit(self, changes: Sequence[tuple[Part, list[Edit]]]) -> types.WorkspaceEdit:
        texts = [(p, self.places.positions[p.uri].edits(edits)) for p, edits in changes]
        if not self.has_changes:
            return types.WorkspaceEdit(changes={part.uri: edits for part, edits in texts})
        return types.WorkspaceEdit(
            document_changes=[
                types.TextDocumentEdit(
                    types.OptionalVersionedTextDocumentIdentifier(part.uri, part.version), [*edits]
                )
                for part, edits in texts
            ]
        )


def is_unsafe(finding: Finding) -> bool:
    return finding.fix is not None and finding.fix.safety == "unsafe"


def overlap(one: types.Range, other: types.Range) -> bool:
    return one.start <= other.end and other.start <= one.end


def between(before: str, after: str) -> Iterator[Edit]:
    """The edits of whole lines that lead from one text to another."""
    old, new = (LINE.findall(text) for text in (before, after))
    for kind, start, end, first, last in SequenceMatcher(None, old, new, False).get_opcodes():
        if kind != "equal":
            yield Edit(Span(None, start + 1, 1, end + 1, 1), "".join(new[first:last]))
