"""What the text of a class says of its state."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ClassSummary:
    """`reached` are the methods that a call of the module may come to, by name. `registered` are
    the names that it registers, as far as they are written out; `openings` how those start that
    are not. `moves_itself`: it overrides how it is moved.
    """

    reached: frozenset[str]
    registered: frozenset[str]
    openings: tuple[str, ...]
    moves_itself: bool

    def registers(self, name: str) -> bool:
        return name in self.registered or name.startswith(self.openings)
