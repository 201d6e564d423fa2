"""What a scan says of one project: plain rows, the same for the same project."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

from devlint.scan.unit import Unit

#: A row of a table by its columns.
Row: TypeAlias = dict[str, Any]


@dataclass(slots=True)
class Result:
    """`seconds` are those of a processor, `memory` are bytes at the most; they differ each time,
    and are in no row."""

    project: Row
    findings: list[Row] = field(default_factory=list)
    failures: list[Row] = field(default_factory=list)
    seconds: float = 0.0
    memory: int = 0
    #: Whether the process that made it is to end: memory ran out in it.
    is_last: bool = False


def failed(unit: Unit, reason: str, *, is_last: bool = False) -> Result:
    """Of a project that could not be analysed."""
    row = about(unit, is_analysed=False, failures=1)
    return Result(row, failures=[failure(unit, reason)], is_last=is_last)


def failure(unit: Unit, reason: str, path: str | None = None, code: str | None = None) -> Row:
    return {"project": unit.project, "path": path, "code": code, "reason": reason}


def about(unit: Unit, *, is_analysed: bool, **numbers: int) -> Row:
    zeros = dict.fromkeys(NUMBERS, 0)
    revision = unit.part if unit.kind == "git" else None
    told = {"project": unit.project, "kind": unit.kind, "revision": revision}
    return {**told, "is_analysed": is_analysed, **zeros, **numbers}


#: What is counted of a project: files that are chosen, bytes in them, how many got how far, and
#: calls that were not followed because a budget was spent.
NUMBERS = (
    *("files", "bytes", "passed", "screened", "decided"),
    *("findings", "failures", "exhausted"),
)
