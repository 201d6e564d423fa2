"""The new process: reads what is known of texts, and writes it once more.

Run as `python -m tests.laws.read_again SENT BACK`.
"""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

from devlint.lower import from_ast
from devlint.lower.limits import RECURSION_LIMIT
from devlint.lower.node_ids import NodeIds, loaded

from .pickling import Known, packed


def once_more(code: str, data: bytes) -> Known | str:
    """What a process reads from bytes and writes again; why it cannot, if it cannot."""
    ids = NodeIds(from_ast.lower(code).module)
    try:
        return packed(code, loaded(data, ids), ids)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def main(sent: Path, back: Path) -> None:
    sys.setrecursionlimit(RECURSION_LIMIT)
    pairs = pickle.loads(sent.read_bytes())
    back.write_bytes(pickle.dumps([once_more(code, data) for code, data in pairs]))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
