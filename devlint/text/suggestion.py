"""What somebody may have meant by a word that is not known."""

from __future__ import annotations

from collections.abc import Iterable


def suggestion(word: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches

    spelled = {each.lower(): each for each in known}
    near = get_close_matches(word.lower(), spelled, n=3)
    return f"; did you mean {' or '.join(spelled[each] for each in near)}?" if near else ""
