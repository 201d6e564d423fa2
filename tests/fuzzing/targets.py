"""What is fuzzed: each target takes bytes, and raises where devlint would fail on them."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from devlint.cache.notes import last
from devlint.cache.table import unpacked as unpacked_table
from devlint.confirm.dry_run.told import read as read_journal
from devlint.findings.baseline import Baseline, BaselineError
from devlint.rule.registry import load_rules
from devlint.rule.rule import Rule
from devlint.rule.self_reports import InternalError
from devlint.run import outcome_json
from devlint.run.check import check
from devlint.run.fix import mended
from devlint.run.plan import Plan
from devlint.server.analysis import Analyst
from devlint.server.buffer import Buffer, Part
from devlint.server.client_settings import ClientSettings
from devlint.settings import Configuration, ConfigurationError

Target = Callable[[bytes], None]


class FaultError(Exception):
    """Of devlint."""


@cache
def rules() -> tuple[Rule[Any], ...]:
    return tuple(rule() for rule in load_rules())


@cache
def plan() -> Plan:
    return Plan.of_rules(rules(), ("safe", "unsafe"))


def checked(path: str, data: bytes) -> None:
    one = check(path, data, rules())
    if faults := [each.message for each in one.findings if each.code == InternalError.code]:
        raise FaultError(f"{faults}\n{one.traceback}")
    mended(path, data, one.findings, plan())


def lowering(data: bytes) -> None:
    checked("a.py", b"import torch\n" + data)


def notebook(data: bytes) -> None:
    checked("a.ipynb", data)


def markdown(data: bytes) -> None:
    checked("a.md", data)


@contextmanager
def written(name: str, data: bytes) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(data)
        yield str(path)


def configuration(data: bytes) -> None:
    for name in ("devlint.toml", "pyproject.toml"):
        with written(name, data) as path, suppress(ConfigurationError):
            Configuration({}, config=[path]).of(os.path.join(os.path.dirname(path), "a.py"))


def baseline(data: bytes) -> None:
    with written("known.json", data) as path, suppress(BaselineError):
        Baseline.read(path).stale({"DEV201"})


def cache_of_runs(data: bytes) -> None:
    """What is sealed is JSON; what that holds is anything."""
    with suppress(ValueError, RecursionError):
        told = json.loads(data)
        last(told)
        outcome_json.unpacked(told, ["a.py"])
        with suppress(ValueError, TypeError, LookupError):
            unpacked_table(told)


def journal(data: bytes) -> None:
    with written("journal.jsonl", data) as path:
        told = read_journal(path)
    if told.others and told.end and told.end.status is None:
        raise FaultError("a program has ended without a status")


def server(data: bytes) -> None:
    """What an editor sets, and a text that is being typed."""
    head, _, text = data.partition(b"\0")
    analyst = Analyst()
    with suppress(ValueError, RecursionError, ConfigurationError):
        analyst.settings = ClientSettings.of(json.loads(head))
    words = "import torch\n" + text.decode("utf-8", "replace")
    path = os.path.join(tempfile.gettempdir(), "fuzzed.py")
    one = analyst.analysed(Buffer(f"file://{path}", path, (Part("a", 1, words),)), {})
    for each in one.findings or ():
        if each.code == InternalError.code:
            raise FaultError(each.message)


TARGETS: dict[str, Target] = {
    "lowering": lowering,
    "notebook": notebook,
    "markdown": markdown,
    "configuration": configuration,
    "baseline": baseline,
    "cache": cache_of_runs,
    "journal": journal,
    "server": server,
}
