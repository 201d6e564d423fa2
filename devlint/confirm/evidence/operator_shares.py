"""Has functions of PyTorch tried in several processes, and starts anew those that end early."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from threading import Timer
from typing import Any

from devlint.confirm.witnesses.judge import BenchError

_COMMAND = (sys.executable, "-m", "devlint.confirm.evidence.operators")


def tried(device: str, shares: int, limit: float) -> dict[str, Any]:
    """The outcomes of all functions, by name; `limit`: seconds for one function.

    Raises `BenchError` where PyTorch's samples cannot be had.
    """
    if find_spec("expecttest") is None:
        raise BenchError("the samples of PyTorch need a package: pip install expecttest")
    with ThreadPoolExecutor(shares) as pool:
        parts = pool.map(lambda number: _share(device, (number, shares), limit), range(shares))
        return dict(sorted((name, found) for part in parts for name, found in part.items()))


def _share(device: str, share: tuple[int, int], limit: float) -> dict[str, Any]:
    found: dict[str, Any] = {}
    while True:
        begun = _round({"device": device, "share": share, "tried": [*found]}, limit, found)
        if begun is None:
            return found
        found.setdefault(begun, {"fault": "the process ended"})


def _round(order: dict[str, Any], limit: float, found: dict[str, Any]) -> str | None:
    """Add what one process tells; what it began last, if there may be more to try."""
    process = subprocess.Popen(
        _COMMAND,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdin
    assert process.stdout
    process.stdin.write(json.dumps(order))
    process.stdin.close()
    begun, timer = None, Timer(limit, process.kill)
    for line in process.stdout:
        timer.cancel()
        told = json.loads(line)
        if "begun" in told:
            begun, timer = told["begun"], Timer(limit, process.kill)
            timer.start()
        else:
            fault = {"fault": told["fault"]} if told["fault"] else {}
            found[told["name"]] = {**told["outcomes"], **fault}
    timer.cancel()
    code = process.wait()
    if code and begun is None:
        raise BenchError(f"the functions of PyTorch cannot be tried: exit code {code}")
    has_fault = begun is not None and "fault" in found.get(begun, {})
    return begun if code or has_fault else None
