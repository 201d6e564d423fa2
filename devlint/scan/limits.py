"""What a project may take; more of it costs that project, and no other."""

from __future__ import annotations

from dataclasses import dataclass

#: How many bytes the chosen files of a project may hold together.
HELD = 512 << 20
#: How many names an archive, a commit or a folder may have.
NAMES = 500_000


@dataclass(frozen=True, slots=True)
class Limits:
    """`seconds` are those of a clock, `memory` are bytes of address space."""

    seconds: float
    memory: int
