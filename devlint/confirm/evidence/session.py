"""Runs programs in forks of one process, and looks at autocast: `python -m ...evidence.session`.

An order comes on stdin, an answer goes to stdout, both as JSON.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch

from devlint.confirm.evidence.autocast import cast_operators, casts, expected
from devlint.confirm.evidence.programs import Case, cases
from devlint.confirm.witnesses.runner import cuda_of, quiet, results

#: On CUDA each process has a context of some hundred megabytes.
_AT_ONCE = min(os.cpu_count() or 1, 8)
_AUTOCAST = ""
#: Of a message that is kept; those of compilers are long.
_WIDTH = 2000


def attempt(known: dict[str, Case], device: str, name: str, answer: Connection) -> None:
    """Send how a program ended, or that there are too few devices for it."""
    quiet()
    case = known[name]
    if device == "cuda" and case.devices > torch.cuda.device_count():
        answer.send({"program": case.digest, "needs": f"{case.devices} devices"})
        return
    with TemporaryDirectory(prefix="devlint-") as folder:
        os.chdir(folder)
        with cuda_of(device, case.devices):
            end = case.run()
        os.chdir("/")
    message = without_folders(end.message)[:_WIDTH]
    answer.send({"program": case.digest, **asdict(end), "message": message})


def without_folders(message: str) -> str:
    """A message with the files that it names as they are imported, wherever that is."""
    for folder in sorted(filter(None, sys.path), key=len, reverse=True):
        message = message.replace(f"{folder}/", "")
    return message


def look(device: str, name: str, answer: Connection) -> None:
    """Send what autocast casts to, by dtype and operator; emulated CUDA goes by its policies."""
    quiet()
    found = {}
    for dtype in (torch.float16, torch.bfloat16):
        with torch.autocast("cuda", dtype, enabled=device == "cuda"):
            found[str(dtype).removeprefix("torch.")] = {
                each: casts(each, dtype) if device == "cuda" else expected(each)
                for each in cast_operators()
            }
    answer.send(found)


def main() -> None:
    order = json.load(sys.stdin)
    known = {case.name: case for case in cases(Path(order["programs"]))}
    found: dict[str, Any] = {}
    casts_of = partial(look, order["device"])
    found["autocast"] = dict(results([_AUTOCAST], casts_of, order["limit"]))[_AUTOCAST]
    work = partial(attempt, known, order["device"])
    found["programs"] = dict(sorted(results(known, work, order["limit"], _AT_ONCE)))
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
