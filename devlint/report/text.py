"""Text as reports show it: what cannot be seen, or steers what shows it, is replaced."""

from __future__ import annotations

import re
import unicodedata

from devlint.finding import Finding

#: Controls, invisible formatting (which can reverse the order of what is read), halves of
#: surrogate pairs (bytes of a path that are no text), and line ends of Unicode.
HIDDEN = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
#: What CI systems take for commands in whatever a job prints: `::` as the first of a line, the
#: others wherever they stand.
COMMAND = re.compile(r"^(\s*:):|(#)#(?=\[|vso\[)", re.IGNORECASE)
REPLACED = "\N{REPLACEMENT CHARACTER}"


def visible(text: str) -> str:
    """The text, each character that is not to be shown replaced by one that says so."""
    text = commanding_nothing(text)
    if text.isprintable():
        return text
    return "".join(
        REPLACED if unicodedata.category(character) in HIDDEN else character for character in text
    )


def commanding_nothing(text: str) -> str:
    """The text, as long as it was, with no command of a CI system in it."""
    return COMMAND.sub(lambda found: found[0][:-1] + REPLACED, text)


def one_line(text: str) -> str:
    """The text on one line."""
    return visible(text if text.isprintable() else " ".join(text.split()))


def standing(finding: Finding) -> str:
    """How sure a finding is that is not proven, and what it rests on."""
    claims = " and ".join(each.claim for each in finding.presumed)
    return f"{finding.confidence} confidence: presumed that {claims}"


def count(number: int, noun: str, several: str = "") -> str:
    return f"{number} {noun if number == 1 else several or noun + 's'}"


def dumped(content: object, *, is_indented: bool = False) -> str:
    """JSON in which nothing is a command of a CI system; whoever reads it gets the same."""
    import json

    return json.dumps(content, indent=2 if is_indented else None).replace("##", "#\\u0023")
