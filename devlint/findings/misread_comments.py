"""Comments that are meant to silence findings, and for the way they are written silence none, or
more than they name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from devlint.finding import Span
from devlint.findings.suppressions import Comment, Word

DIRECTIVE = re.compile(r"#\s*devlint:\s*(?P<verb>[a-z-]+)(?P<rest>.*)", re.I)
NAMED = re.compile(r"#\s*noqa\s*:\s*(?P<words>[a-z][a-z-]*)(?![\w-])", re.I)
PART = re.compile(r"[\w-]+")
#: What stands in place of the codes that a comment should name.
CODES = "{codes}"


@dataclass(frozen=True, slots=True)
class Misread:
    """`message` says what is wrong, `remedy` how the comment is written that was meant.

    `words` may be names of rules; where none is, the comment means nothing that `needs_rule`.
    """

    span: Span
    message: str
    remedy: str
    words: tuple[Word, ...] = ()
    needs_rule: bool = False


def misread(comment: Comment) -> Iterator[Misread]:
    """What a comment does not say as it is written."""
    if named := NAMED.search(comment.text):
        message = "`# noqa` takes codes, not names"
        span, words = comment.span(*named.span()), found(comment, *named.span("words"))
        yield Misread(span, message, f"# noqa: {CODES}", words, needs_rule=True)
    if (match := DIRECTIVE.search(comment.text)) is None:
        return
    verb, rest = match["verb"].lower(), match["rest"].strip()
    span = comment.span(match.start(), match.end("verb"))
    words = found(comment, *match.span("rest"))
    remedy = f"# devlint: ignore[{CODES}]"
    if verb == "ignore":
        if rest.startswith("[]"):
            yield Misread(span, "this comment names no rule", remedy)
        elif not rest.startswith("["):
            yield Misread(span, "this comment silences every rule", remedy, words[:1], True)
    elif verb in ("ignore-file", "off", "on"):
        if not comment.is_alone:
            yield Misread(span, f"`{verb}` counts on a line of its own only", remedy, words)
    elif not rest or rest[0] in "[=:(#":
        yield Misread(span, f"no comment is called `{verb}`", remedy, words)


def found(comment: Comment, start: int, end: int) -> tuple[Word, ...]:
    """The words in a part of a comment, up to one behind it."""
    end = comment.text.find("#", start, end) if "#" in comment.text[start:end] else end
    matches = PART.finditer(comment.text, start, end)
    return tuple(Word(each[0], comment.span(*each.span())) for each in matches)
