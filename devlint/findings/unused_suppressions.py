"""The audit of suppressions: which of them silence nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from devlint.finding import Finding
from devlint.findings.suppressions import Suppression, Suppressions, Word
from devlint.rule.registry import AnyRule
from devlint.rule.self_reports import FAULTS, UnusedSuppression
from devlint.text.suggestion import suggestion


@dataclass(frozen=True, slots=True)
class Audit:
    """Judges the suppressions of a text by what the rules found there.

    `codes` are the codes of all rules by the words that name them, `active` those that run.
    `is_complete`: every rule that runs by default is among them. Only a text in which `mention` is
    found has suppressions to judge.
    """

    codes: Mapping[str, str]
    active: frozenset[str]
    is_complete: bool
    mention: re.Pattern[str]

    @classmethod
    def of(cls, rules: Sequence[AnyRule], known: Sequence[AnyRule]) -> Audit | None:
        """The audit of a run of `rules`, of all that packs bring; None when it is left out."""
        if UnusedSuppression not in rules:
            return None
        codes = {word: each.code for each in (*known, *FAULTS) for word in (each.code, each.name)}
        prefixes = sorted({code.rstrip("0123456789") for code in codes.values()})
        shared = rf"noqa\s*:.*\b(?:{'|'.join(map(re.escape, prefixes))})\d"
        return cls(
            codes,
            frozenset(rule.code for rule in rules),
            all(rule in rules or rule.is_opt_in for rule in known),
            re.compile(rf"devlint:|{shared}", re.I),
        )

    def findings(
        self, path: str, suppressions: Suppressions, found: Sequence[Finding]
    ) -> Iterator[Finding]:
        """`found` is all that was found in the text, what is silenced included."""
        if not self.mention.search(suppressions.text) or not suppressions.are_exact:
            return
        reached: dict[Suppression, list[Finding]] = {}
        for finding in found:
            for each in suppressions.reaching(finding):
                reached.setdefault(each, []).append(finding)
        for each in suppressions.all:
            for unused in self.unused(path, suppressions.lines, each, reached.get(each, ())):
                # Only by its name, or each comment without names would silence its own.
                if not any(other.names(unused) for other in suppressions.reaching(unused)):
                    yield unused

    def unused(
        self,
        path: str,
        lines: Sequence[str],
        suppression: Suppression,
        reached: Sequence[Finding],
    ) -> Iterator[Finding]:
        from devlint.findings.suppression_edits import removal

        where = "in this file" if suppression.line is None else "here"
        for word in suppression.words:
            message = self.fault(word, is_shared=suppression.is_shared)
            if message is None and self.runs(word) and not any(map(word.names, reached)):
                message = f"`{word.text}` silences nothing {where}"
            if message is not None:
                is_known = self.code(word) is not None
                fix = removal(lines, suppression, word) if is_known else None
                yield UnusedSuppression.at(path, message, word.span, fix)
        is_bare = not suppression.words and suppression.line is not None
        if is_bare and self.is_complete and not suppression.is_shared and not reached:
            message, fix = "this comment silences nothing", removal(lines, suppression, None)
            yield UnusedSuppression.at(path, message, suppression.span, fix)

    def fault(self, word: Word, *, is_shared: bool) -> str | None:
        """What is wrong with a word in itself; words that other linters may know are theirs."""
        if is_shared or self.code(word) is not None:
            return None
        return f"no rule is called `{word.text}`{suggestion(word.text, [*self.codes])}"

    def code(self, word: Word) -> str | None:
        return self.codes.get(word.text.upper()) or self.codes.get(word.text.lower())

    def runs(self, word: Word) -> bool:
        """Whether a word names a rule that runs, the audit aside: it is not judged by itself."""
        code = self.code(word)
        return code in self.active and code != UnusedSuppression.code
