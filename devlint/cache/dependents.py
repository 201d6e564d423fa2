"""What a change of some modules can change the findings of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Set

from devlint.project.dependencies import Asked
from devlint.project.modules import Module


def stale(asked: Mapping[str, Asked], changed: Collection[str]) -> set[str]:
    """The modules, by the paths of their files, that see something else since others changed."""
    texts = above({each: one.texts for each, one in asked.items() if hands_on(each)}, changed)
    met = {each for each, one in asked.items() if not one.texts.isdisjoint(texts)}
    return above({each: one.links for each, one in asked.items()}, {*changed, *met})


def above(below: Mapping[str, Set[str]], found: Iterable[str]) -> set[str]:
    """Those found, and all from which they are reached."""
    users = defaultdict[str, list[str]](list)
    for user, used in below.items():
        for each in used:
            users[each].append(user)
    reached = set(found)
    pending = [*reached]
    while pending:
        new = [each for each in users[pending.pop()] if each not in reached]
        reached.update(new)
        pending += new
    return reached


def hands_on(path: str) -> bool:
    """Whether what the text of a module says depends on what it imports. Without an end it is the
    folder of a namespace package."""
    return not path.endswith(".py") or Module(path).is_package
