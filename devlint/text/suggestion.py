"""What somebody may have meant by a word that is not known."""

from __future__ import annotations

from collections.abc import Iterable

#: How alike words are that somebody may have meant, and those that hardly anything else can mean.
ALIKE, NEARLY_THE_SAME = 0.6, 0.85


def suggestion(word: str, known: Iterable[str], least: float = ALIKE) -> str:
    from difflib import get_close_matches

    spelled = {each.lower(): each for each in known}
    near = get_close_matches(word.lower(), spelled, 3, least)
    return f"; did you mean {' or '.join(spelled[each] for each in near)}?" if near else ""
