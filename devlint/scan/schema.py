"""The columns of the tables that a scan writes, findings as JSON has them."""

from __future__ import annotations

import pyarrow as pa

from devlint.scan.result import NUMBERS

TEXT = pa.string()
POSITION = [
    ("path", TEXT),
    *((name, pa.int32()) for name in ("cell", "line", "column", "end_line", "end_column")),
]
RELATED = pa.struct([*POSITION, ("message", TEXT), ("is_later", pa.bool_())])
EDIT = pa.struct([*POSITION, ("text", TEXT)])
FIX = pa.struct([("message", TEXT), ("safety", TEXT), ("risk", TEXT), ("edits", pa.list_(EDIT))])
PRESUMED = pa.struct([("name", TEXT), ("claim", TEXT)])

FINDINGS = pa.schema(
    [
        *((name, TEXT) for name in ("project", "code", "name", "message", "severity")),
        ("confidence", TEXT),
        ("presumed", pa.list_(PRESUMED)),
        *POSITION,
        ("related", pa.list_(RELATED)),
        ("fix", FIX),
        ("fingerprint", TEXT),
        ("source", TEXT),
    ]
)
FAILURES = pa.schema([(name, TEXT) for name in ("project", "path", "code", "reason")])
PROJECTS = pa.schema(
    [
        *((name, TEXT) for name in ("project", "kind", "revision")),
        ("is_analysed", pa.bool_()),
        *((name, pa.int64()) for name in NUMBERS),
    ]
)
#: The tables, each a folder of Parquet files.
TABLES = {"findings": FINDINGS, "failures": FAILURES, "projects": PROJECTS}
