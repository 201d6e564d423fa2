"""The limits past which a text must not reach LibCST, whose parser can end the process."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field

# LibCST 1.9 on a stack of 1 MB ends the process at 200 nested brackets; `ast` refuses at 200.
DEEPEST_BRACKETS = 150
# A sum of 3,000 terms takes LibCST 3.4 s, one of 5,000 over 40 s.
LONGEST_CHAIN = 500
LONGEST_ELIF = 500
# `ast` refuses at 100 levels of indentation.
DEEPEST_INDENTATION = 100
# Every pair of brackets in a pattern doubles LibCST's time: 12 take 8 ms.
DEEPEST_PATTERN = 16
LONGEST_TEXT = 1_000_000
# Enough for whoever lowers or walks what passes `obstacle`: a link takes up to four frames.
RECURSION_LIMIT = 5_000


def allow_recursion() -> None:
    """Let this process recurse as deep as texts within the limits need it.

    On an 8 MB stack Python 3.11 survives 5,000 frames through C functions such as `sorted`, but not
    10,000.
    """
    sys.setrecursionlimit(max(sys.getrecursionlimit(), RECURSION_LIMIT))


_TOKEN = re.compile(
    r"""
      (?P<comment> \#[^\r\n]* )
    | (?P<prefix> \b[bBfFrRtTuU]{1,2} )? (?P<quote> \"{3} | '{3} | ["'] )
    | (?P<open> [(\[{] )
    | (?P<close> [)\]}] )
    | (?P<line> (?:\r\n|\r|\n) [ \t\f]* )
    | (?P<joined> \\ (?:\r\n|\r|\n) )
    | (?P<comma> , )
    | (?P<colon> : )
    | (?P<semicolon> ; )
    | \b(?P<word> if | lambda | else | and | or | not | in | is | await | yield | for )\b
    | \b(?P<statement> assert | break | class | continue | def | del | elif | except | finally
        | global | import | nonlocal | pass | raise | return | try | while | with )\b
    | (?P<number> \d[\w.]* )
    | (?P<operator> \*\*=? | //=? | <<=? | >>=? | [-+*/%@&|^<>=!]=? | [~.] )
    """,
    re.VERBOSE,
)
_STRING_END = {
    "'": re.compile(r"(?:[^\\\r\n']|\\(?:\r\n|.))*'?", re.DOTALL),
    '"': re.compile(r'(?:[^\\\r\n"]|\\(?:\r\n|.))*"?', re.DOTALL),
    "'''": re.compile(r"(?:[^\\]|\\.)*?(?:'''|\Z)", re.DOTALL),
    '"""': re.compile(r'(?:[^\\]|\\.)*?(?:"""|\Z)', re.DOTALL),
}
_BRACE = re.compile(r"\{\{|\}\}|[{}]")


def excess(text: str) -> str | None:
    """Why `text` is too long for any parser."""
    if len(text) > LONGEST_TEXT:
        return f"{len(text):,} characters long (at most {LONGEST_TEXT:,})"
    return None


def obstacle(text: str) -> str | None:
    """Why `text` must not reach LibCST, as in "brackets nest 1,300 deep (at most 150)"."""
    if reason := excess(text):
        return reason
    extent = _Extent()
    extent.measure(text)
    for measured, what, limit in (
        (extent.brackets, "brackets nest {:,} deep", DEEPEST_BRACKETS),
        (extent.chain, "an expression has a chain of {:,} operations", LONGEST_CHAIN),
        (extent.elifs, "an if statement has {:,} branches", LONGEST_ELIF),
        (extent.patterns, "brackets nest {:,} deep in a pattern", DEEPEST_PATTERN),
        (extent.indentation, "blocks nest {:,} deep", DEEPEST_INDENTATION),
    ):
        if measured > limit:
            return f"{what.format(measured)} (at most {limit:,})"
    return None


@dataclass(slots=True)
class _Level:
    """The links since the last comma, those of the brackets around it (`outer`) included."""

    outer: int = 0
    chain: int = 0
    open_lambdas: int = 0


@dataclass(slots=True)
class _Extent:
    """The largest measures of a text so far."""

    brackets: int = 0
    chain: int = 0
    elifs: int = 0
    patterns: int = 0
    indentation: int = 0
    _levels: list[_Level] = field(default_factory=lambda: [_Level()])
    _indents: list[int] = field(default_factory=lambda: [0])
    _branches: dict[int, int] = field(default_factory=dict)
    _is_pattern: bool = False

    def measure(self, text: str) -> None:
        position = 0
        while (token := _TOKEN.search(text, position)) is not None:
            position = token.end()
            kind = str(token.lastgroup)
            if kind == "quote":
                position = self._string(text, token)
            elif kind == "line":
                if len(self._levels) == 1:
                    self._line(text, token)
            elif kind == "statement":
                # Never inside brackets: whatever was misread before, here is depth 0.
                self._levels = [_Level()]
            elif kind in _MARKS:
                _MARKS[kind](self)
            elif kind in ("word", "operator"):
                self._link(is_lambda=token[0] == "lambda")

    def _link(self, *, is_lambda: bool = False) -> None:
        level = self._levels[-1]
        level.chain += 1
        level.open_lambdas += is_lambda
        self.chain = max(self.chain, level.chain)

    def _open(self) -> None:
        self._link()
        outer = self._levels[-1].chain
        self._levels.append(_Level(outer, outer))
        self.brackets = max(self.brackets, len(self._levels) - 1)
        if self._is_pattern:
            self.patterns = max(self.patterns, len(self._levels) - 1)

    def _close(self) -> None:
        if len(self._levels) > 1:
            self._levels.pop()

    def _comma(self) -> None:
        # The commas between the parameters of a lambda end nothing.
        if not self._levels[-1].open_lambdas:
            self._levels[-1].chain = self._levels[-1].outer

    def _colon(self) -> None:
        self._levels[-1].open_lambdas = max(0, self._levels[-1].open_lambdas - 1)

    def _semicolon(self) -> None:
        self._levels = [_Level()]

    def _line(self, text: str, token: re.Match[str]) -> None:
        self._levels[-1] = _Level()
        if text.startswith(("#", "\r", "\n"), token.end()):
            return
        indent = len(token["line"].strip("\r\n\f").expandtabs())
        while self._indents[-1] > indent:
            self._indents.pop()
        if self._indents[-1] < indent:
            self._indents.append(indent)
            self.indentation = max(self.indentation, len(self._indents) - 1)
        self._is_pattern = _CASE.match(text, token.end()) is not None
        is_branch = _ELIF.match(text, token.end()) is not None
        self._branches[indent] = self._branches.get(indent, 0) + 1 if is_branch else 0
        self.elifs = max(self.elifs, self._branches[indent])

    def _string(self, text: str, token: re.Match[str]) -> int:
        self._link()
        end = _STRING_END[token["quote"]].match(text, token.end())
        assert end is not None
        if token["prefix"] and set(token["prefix"]) & set("fFtT"):
            for replacement in _replacement_fields(end[0]):
                inner = _Extent()
                inner.measure(replacement)
                self.brackets = max(self.brackets, inner.brackets + len(self._levels))
                self.chain = max(self.chain, inner.chain + self._levels[-1].chain)
        return end.end()


def _replacement_fields(content: str) -> Iterator[str]:
    """The text inside each outermost pair of braces of an f-string."""
    depth = start = position = 0
    while (brace := _BRACE.search(content, position)) is not None:
        position = brace.end()
        if len(brace[0]) == 2 and not depth:
            continue
        position = brace.start() + 1
        depth = max(0, depth + (1 if brace[0][0] == "{" else -1))
        if depth == 1 and brace[0][0] == "{":
            start = position
        elif depth == 0 and start:
            yield content[start : brace.start()]


_CASE = re.compile(r"case\b")
_ELIF = re.compile(r"elif\b")
_MARKS = {
    "open": _Extent._open,
    "close": _Extent._close,
    "comma": _Extent._comma,
    "colon": _Extent._colon,
    "semicolon": _Extent._semicolon,
}
