"""What the modules of a project ask of it, on which what is found in them depends."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field


@dataclass(slots=True)
class Asked:
    """What one module has asked for; others by the paths of their files."""

    #: The modules that were interpreted for it, and hence all that those have asked for.
    links: set[str] = field(default_factory=set)
    #: Those of which it wanted to know what their text says.
    texts: set[str] = field(default_factory=set)
    #: The names in folders that its imports were looked for under.
    names: set[tuple[str, str]] = field(default_factory=set)
    #: The words that it looked for in all files that are looked at.
    words: set[str] = field(default_factory=set)

    def __or__(self, other: Asked) -> Asked:
        return Asked(
            self.links | other.links,
            self.texts | other.texts,
            self.names | other.names,
            self.words | other.words,
        )


class Dependencies(defaultdict[str, Asked]):
    """What each module has asked for, by the path of its file."""

    def __init__(self) -> None:
        super().__init__(Asked)

    def add(self, path: str, asked: Asked) -> None:
        """Know more of what the module of a file has asked for."""
        self[path] = self[path] | asked
