"""What fuzzing starts from: documents of each kind that are in order."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from devlint.testing.spec import Case, cases

ROOT = Path(__file__).parent.parent.parent
#: Of the cases of specs, one in so many.
EVERY = 40

JOURNAL = (
    ["start", {"on": "emulated CUDA", "torch": "2.13.0"}, 7],
    ["ran", {"path": "/a.py", "line": 3}, 7],
    ["started", {"pid": 8, "command": "python b.py", "python": "itself"}, 7],
    ["process", {"parent": 7, "name": "b.py", "is_fork": False}, 8],
    ["missed", {"kind": "graph", "name": "a.py:4"}, 7],
    ["killed", {"pid": 8, "number": 15}, 7],
    ["end", {"how": "exit", "status": 0}, 8],
    ["end", {"how": "end", "status": 0}, 7],
)
EVENT = {
    "kind": "mixed",
    "error": "RuntimeError",
    "message": "Expected all tensors to be on the same device",
    "stack": [["/a.py", 3, "<module>"]],
    "operands": [{"device": "cpu", "shape": [3], "birth": [["/a.py", 2, "f"]], "roots": []}],
    "process": None,
}
SETTINGS = """
extend-select = ["DEV7"]
ignore = ["DEV401"]
confidence = "low"
baseline = "known.json"
[per-file-ignores]
"tests/*" = ["DEV2"]
[severity]
DEV2 = "warning"
"""
BASELINE = {"version": 1, "findings": [{"path": "a.py", "code": "DEV201", "line": "x + y"}]}
CACHE = ["tool", [], {"a.py": [1, 2, 3, 4, "digest"]}, {"/": {"a": "file"}}, {"key": [[], []]}]
CLIENT = {"lintOn": "save", "inlayHints": True, "select": ["DEV2"], "confidence": "low"}


def seeds(target: str) -> list[bytes]:
    return [*_SEEDS[target]()]


def _cases() -> Iterator[Case]:
    pages = sorted((ROOT / "testdata" / "specs").rglob("*.md"))
    every = [case for page in pages for case in cases(page.read_text("utf-8"))]
    yield from every[::EVERY]


def _programs() -> Iterator[bytes]:
    yield from (each.code.encode() for each in _cases())


def _notebooks() -> Iterator[bytes]:
    for each in _cases():
        parts = [{"cell_type": "code", "source": part} for part in each.code.split("\n\n")]
        yield json.dumps({"cells": parts, "metadata": {}, "nbformat": 4}).encode()


def _pages() -> Iterator[bytes]:
    for each in _cases():
        yield f"# Title\n\n```python\n{each.code}```\n\n~~~ {{.py}}\n{each.code}\n~~~\n".encode()


def _settings() -> Iterator[bytes]:
    yield SETTINGS.encode()
    yield f"[tool.devlint]{SETTINGS.replace('[', '[tool.devlint.', 1)}".encode()
    yield from (each.toml.encode() for each in _cases() if each.toml)


def _journals() -> Iterator[bytes]:
    lines = [*JOURNAL, ["event", EVENT, 7]]
    yield "".join(f"{json.dumps(each)}\n" for each in lines).encode()
    yield from (f"{json.dumps(each)}\n".encode() for each in lines)


def _sessions() -> Iterator[bytes]:
    for each in _cases():
        yield json.dumps(CLIENT).encode() + b"\0" + each.code.encode()


_SEEDS = {
    "lowering": _programs,
    "notebook": _notebooks,
    "markdown": _pages,
    "configuration": _settings,
    "baseline": lambda: iter([json.dumps(BASELINE).encode(), b"[]"]),
    "cache": lambda: iter([json.dumps(CACHE).encode(), json.dumps([["a"], [[], []], []]).encode()]),
    "journal": _journals,
    "server": _sessions,
}
