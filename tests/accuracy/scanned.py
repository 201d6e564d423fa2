"""The errors that a scan of wheels has found."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from tests.accuracy.sample import Drawn, findings

Row = dict[str, Any]


def errors(results: Path) -> list[Drawn]:
    """All of them, in the order of packages, files and lines."""
    found = findings({**row, "path": path(row)} for row in rows(results, "findings"))
    chosen = [each for each in found if each.severity == "error"]
    return sorted(chosen, key=lambda each: (each.package, each.path, each.line, each.code))


def population(results: Path) -> Row:
    projects, found = rows(results, "projects"), rows(results, "findings")
    return {
        "packages": len(projects),
        "files": sum(each["files"] for each in projects),
        "shown": dict(sorted(Counter(each["code"] for each in found).items())),
    }


def rows(results: Path, table: str) -> list[Row]:
    from pyarrow import parquet

    found: list[Row] = parquet.read_table(results / table).to_pylist()
    return found


def path(row: Row) -> str:
    """That of a file below `NAME-VERSION`, which the name of a wheel begins with."""
    return f"{'-'.join(Path(row['project']).name.split('-')[:2])}/{row['path']}"
