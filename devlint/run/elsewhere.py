"""What the files of a project show of each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from devlint.finding import Finding
from devlint.project.project import UNUSED, Used, Uses
from devlint.text.display_paths import shown


@dataclass(frozen=True, slots=True)
class Shown:
    """What others show of a file: findings in it, and how they use it."""

    findings: tuple[Finding, ...] = ()
    uses: Uses = UNUSED

    def __or__(self, other: Shown) -> Shown:
        return Shown(merged(self.findings, other.findings), self.uses | other.uses)


NOTHING = Shown()


class Elsewhere:
    """Gathers what is shown of files, by their paths, until somebody looks at them."""

    def __init__(self) -> None:
        self._shown: dict[str, Shown] = {}

    def add(self, told: Mapping[str, Shown]) -> None:
        gather(self._shown, told)

    def shown(self, path: str) -> Shown:
        """What has been shown of a file since it was last taken."""
        return self._shown.get(path, NOTHING)

    def take(self, path: str) -> Shown:
        """The same, which is then known."""
        return self._shown.pop(path, NOTHING)


def gather(known: dict[str, Shown], told: Mapping[str, Shown]) -> dict[str, Shown]:
    """What is known of files, by their paths, with what one more program shows of them."""
    for path, each in told.items():
        known[path] = known.get(path, NOTHING) | each
    return known


def merged(own: Iterable[Finding], others: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings with those that others have; of the same one at the same place the surer one."""
    found = {(each.code, each.span): each for each in own}
    for each in others:
        known = found.setdefault((each.code, each.span), each)
        if each.is_proven and not known.is_proven:
            found[each.code, each.span] = each
    return tuple(found.values())


def told(path: str, found: Iterable[Finding], used: Iterable[Used]) -> dict[str, Shown]:
    """What a file shows of others: what is found there, and what it uses of them."""
    shown_of = {
        shown(each.source.module.path): Shown(uses=each.uses)
        for each in used
        if each.uses != UNUSED
    }
    for each in found:
        if each.path != path:
            gather(shown_of, {each.path: Shown((each,))})
    return shown_of
