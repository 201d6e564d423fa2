"""What a scan leaves in its folder: parts of tables for each batch, and marks of what is done."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from io import BytesIO
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from devlint.files.atomic_write import put
from devlint.scan.batch import Batch
from devlint.scan.errors import ScanError
from devlint.scan.mark import Mark
from devlint.scan.result import Result, Row
from devlint.scan.schema import TABLES

MANIFEST = "manifest.json"
DONE = "done"


@dataclass(frozen=True, slots=True)
class Store:
    """The folder of a scan. All that is in it is there whole or not at all."""

    folder: str

    def open(self, manifest: Mapping[str, Any]) -> None:
        """Begin the scan that the manifest describes, or go on with it. Raises `ScanError`."""
        path = os.path.join(self.folder, MANIFEST)
        if os.path.exists(path):
            self._refuse_others(manifest)
        elif os.path.isdir(self.folder) and os.listdir(self.folder):
            raise ScanError(f"{self.folder}: there is something in it that is no scan")
        else:
            put(path, json.dumps(manifest, indent=2).encode())

    def _refuse_others(self, manifest: Mapping[str, Any]) -> None:
        path = os.path.join(self.folder, MANIFEST)
        try:
            with open(path, "rb") as file:
                known = json.load(file)
            changed = [key for key in manifest if known[key] != json.loads(dumped(manifest[key]))]
        except (ValueError, KeyError, TypeError) as error:
            raise ScanError(f"{path}: this is no manifest of a scan") from error
        if changed:
            raise ScanError(
                f"{self.folder}: holds a scan with other {' and '.join(changed)}; choose another "
                "folder for this one"
            )

    def done(self, batch: Batch) -> Mark | None:
        """What is known of a batch, if it is done."""
        try:
            with open(self._mark(batch), "rb") as file:
                return Mark(**json.load(file))
        except FileNotFoundError:
            return None

    def write(self, batch: Batch, results: Sequence[Result]) -> Mark:
        """The mark comes last: until then, the batch is to be done again."""
        rows = {
            "findings": [row for each in results for row in each.findings],
            "failures": [row for each in results for row in each.failures],
            "projects": [each.project for each in results],
        }
        for table, held in rows.items():
            put(self._part(table, batch), packed(table, held))
        mark = Mark.of(batch, results)
        put(self._mark(batch), dumped(asdict(mark)).encode())
        return mark

    def rows(self, table: str, batches: Sequence[Batch], columns: Sequence[str]) -> Iterator[Row]:
        """Of the batches that are done, in order."""
        for batch in batches:
            yield from parquet.read_table(
                self._part(table, batch), columns=[*columns], partitioning=None
            ).to_pylist()

    def _part(self, table: str, batch: Batch) -> str:
        return os.path.join(self.folder, table, f"part-{batch.name}.parquet")

    def _mark(self, batch: Batch) -> str:
        return os.path.join(self.folder, DONE, f"{batch.name}.json")


def packed(table: str, rows: Sequence[Row]) -> bytes:
    """A part of a table as a file."""
    stream = BytesIO()
    parquet.write_table(arrow(table, rows), stream, compression="zstd")
    return stream.getvalue()


def arrow(table: str, rows: Sequence[Row]) -> pa.Table:
    """Rows as a table of that name."""
    return pa.Table.from_pylist([*map(storable, rows)], schema=TABLES[table])


def storable(value: Any) -> Any:
    """The same, with texts that can be stored: halves of surrogate pairs are written out."""
    if isinstance(value, str):
        return value.encode(errors="backslashreplace").decode()
    if isinstance(value, dict):
        return {key: storable(each) for key, each in value.items()}
    return [*map(storable, value)] if isinstance(value, list) else value


def dumped(content: object) -> str:
    return json.dumps(content, sort_keys=True)
