"""Parquet files of source files: the columns `repo`, `path` and `content`."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from devlint.scan.errors import ProjectError, ScanError
from devlint.scan.sources.opened import opened, state
from devlint.scan.tree import Tree
from devlint.scan.unit import Unit

if TYPE_CHECKING:
    from pyarrow.parquet import ParquetFile

COLUMNS = ("repo", "path", "content")


def is_table(name: str) -> bool:
    return name.lower().endswith((".parquet", ".pq"))


@dataclass(slots=True)
class Repository:
    """The groups of rows that it is in, and about how many bytes of them are its own."""

    groups: list[int] = field(default_factory=list)
    weight: int = 0


def units(place: str, project: str) -> Iterator[Unit]:
    """A unit for each repository of a file, in the order of their rows. Raises `ScanError`."""
    try:
        seen, _ = state(place)
        with table(place) as file:
            found = repositories(file)
    except (ProjectError, OSError) as error:
        raise ScanError(f"{project}: {error}") from error
    for name, each in found.items():
        groups = tuple(each.groups)
        yield Unit(f"{project}:{name}", "table", place, name, groups, seen, each.weight)


def repositories(file: ParquetFile) -> dict[str, Repository]:
    """By their names. Raises `ProjectError`."""
    found = defaultdict[str, Repository](Repository)
    for group in range(file.num_row_groups):
        names = column(file, group, "repo")
        size = file.metadata.row_group(group).total_byte_size
        for name, number in Counter(names).items():
            found[name].groups.append(group)
            found[name].weight += size * number // len(names)
    return found


def read(unit: Unit, tree: Tree) -> None:
    """Take in the files of a repository. Raises `ProjectError`."""
    tree.is_repository = True
    for group in unit.groups:
        for path, data in files(unit.place, group).get(unit.part, ()):
            if data is None:
                tree.passed[path] = "it has no content"
            elif (name := tree.chosen(path, len(data))) is not None:
                tree.add(name, data)


@lru_cache(maxsize=1)  # Repositories that stand together in a group are asked for one by one.
def files(place: str, group: int) -> dict[str, list[tuple[str, bytes | None]]]:
    """What a group of rows holds: by repository paths, each with its content."""
    found = defaultdict[str, list[tuple[str, "bytes | None"]]](list)
    with table(place) as file:
        columns = (column(file, group, name) for name in COLUMNS)
        for repository, path, content in zip(*columns, strict=True):
            found[repository].append((path, content))
    return dict(found)


def column(file: ParquetFile, group: int, name: str) -> list[Any]:
    """A column of a group of rows: texts, of `content` bytes or None. Raises `ProjectError`."""
    from pyarrow import ArrowException

    try:
        found = file.read_row_group(group, columns=[name]).column(0).to_pylist()
    except (ArrowException, OSError) as error:
        raise ProjectError(f"cannot read its rows: {first_line(error)}") from error
    if name != "content":
        return ["" if each is None else str(each) for each in found]
    return [
        each.encode(errors="surrogatepass") if isinstance(each, str) else each for each in found
    ]


@contextmanager
def table(place: str) -> Iterator[ParquetFile]:
    """Raises `ProjectError` where there is none that has the columns."""
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ModuleNotFoundError as error:
        raise ProjectError("Parquet needs pyarrow: pip install 'devlint[scan]'") from error
    with opened(place) as stream:
        try:
            file = ParquetFile(stream)
        except (ArrowException, OSError) as error:
            raise ProjectError(f"not a Parquet file: {first_line(error)}") from error
        if missing := [each for each in COLUMNS if each not in file.schema_arrow.names]:
            raise ProjectError(f"it has no column '{missing[0]}', of {', '.join(COLUMNS)}")
        yield file


def first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
