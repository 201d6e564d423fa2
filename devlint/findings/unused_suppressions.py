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
    found has suppressions to judge. `own` is what a rule of one of the packs may have for a code.
    """

    codes: Mapping[str, str]
    active: frozenset[str]
    is_complete: bool
    mention: re.Pattern[str]
    own: re.Pattern[str]

    @classmethod
    def of(cls, rules: Sequence[AnyRule], known: Sequence[AnyRule]) -> Audit | None:
        """The audit of a run of `rules`, of all that packs bring; None when it is left out."""
        if UnusedSuppression not in rules:
            return None
        codes = {word: each.code for each in (*known, *FAULTS) for word in (each.code, each.name)}
        prefixes = sorted({code.rstrip("0123456789") for code in codes.values()})
        own = rf"\b(?:{'|'.join(map(re.escape, prefixes))})\d+\b"
        names = "|".join(re.escape(word) for word in codes if word not in codes.values())
        shared = rf"noqa\s*:.*(?:{own}|\b(?:{names})\b)"
        return cls(
            codes,
            frozenset(rule.code for rule in rules),
            all(rule in rules or rule.is_opt_in for rule in known),
            re.compile(rf"devlint:|{shared}", re.I),
            re.compile(own, re.I),
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
        useless = [*self.misread(path, suppressions)]
        for each in suppressions.all:
            useless += self.unused(path, suppressions.lines, each, reached.get(each, ()))
        for one in useless:
            # Only by its name, or each comment without names would silence its own.
            if not any(other.names(one) for other in suppressions.reaching(one)):
                yield one

    def misread(self, path: str, suppressions: Suppressions) -> Iterator[Finding]:
        """Comments that do not silence what they are meant to."""
        from devlint.findings.misread_comments import misread

        for comment in suppressions.comments:
            for each in misread(comment):
                codes = [code for word in each.words if (code := self.code(word))]
                if codes or not each.needs_rule:
                    remedy = each.remedy.format(codes=", ".join(codes) or "..")
                    message = f"{each.message}; write `{remedy}`"
                    yield UnusedSuppression.at(path, message, each.span)
        for one in suppressions.switched.loose:
            message = "nothing is switched off here that this comment could switch on"
            yield UnusedSuppression.at(path, message, one.span)

    def unused(
        self,
        path: str,
        lines: Sequence[str],
        suppression: Suppression,
        reached: Sequence[Finding],
    ) -> Iterator[Finding]:
        from devlint.findings.suppression_edits import removal

        is_here = suppression.last is None
        where = "in this file" if suppression.line is None else "here" if is_here else "below"
        for word in suppression.words:
            message = self.fault(word, is_shared=suppression.is_shared)
            if message is None and self.runs(word) and not any(map(word.names, reached)):
                message = f"`{word.text}` silences nothing {where}"
            if message is not None:
                is_known = self.code(word) is not None
                fix = removal(lines, suppression, word) if is_known and is_here else None
                yield UnusedSuppression.at(path, message, word.span, fix)
        is_bare = not suppression.words and suppression.line is not None
        if is_bare and self.is_complete and not suppression.is_shared and not reached:
            message = "this comment silences nothing"
            fix = removal(lines, suppression, None) if is_here else None
            yield UnusedSuppression.at(path, message, suppression.span, fix)

    def fault(self, word: Word, *, is_shared: bool) -> str | None:
        """What is wrong with a word in itself; words that other linters may know are theirs."""
        is_theirs = is_shared and not self.own.fullmatch(word.text)
        if is_theirs or self.code(word) is not None:
            return None
        return f"no rule is called `{word.text}`{suggestion(word.text, [*self.codes])}"

    def code(self, word: Word) -> str | None:
        return self.codes.get(word.text.upper()) or self.codes.get(word.text.lower())

    def runs(self, word: Word) -> bool:
        """Whether a word names a rule that runs, the audit aside: it is not judged by itself."""
        code = self.code(word)
        return code in self.active and code != UnusedSuppression.code
