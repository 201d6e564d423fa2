"""What a machine makes of all that is to be known of CUDA, to be kept and compared."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

from devlint.confirm.evidence.operator_shares import tried
from devlint.confirm.witnesses.judge import Device, answer, run
from devlint.confirm.witnesses.witness import Witness, witnesses_of
from devlint.rule.registry import AnyRule

#: What a record tells of each witness, besides which it is.
KEYS = ("verdict", "on", "torch", "error")
#: Processes that try operators at once; programs run beside them.
_SHARES = max(1, min((os.cpu_count() or 1) // 2, 8))


def record_of(
    rules: Iterable[AnyRule], device: Device, limit: float, programs: Path | None = None
) -> dict[str, Any]:
    """The evidence of each witness of the rules, with the device and the version of torch; and of
    what is beyond the rules, with a folder of programs.

    `limit`: seconds for each program; raises `BenchError`.
    """
    witnesses = [each for rule in rules for each in witnesses_of(rule)]
    bench = run(witnesses, device, limit)

    def row(witness: Witness) -> dict[str, Any]:
        told = asdict(bench.evidence(witness))
        return {
            "code": witness.code,
            **{key: told[key] for key in KEYS},
            "witness": witness.title,
        }

    device_name = bench.on.removeprefix("CUDA, ")
    found = {"device": device_name, "torch": bench.torch, "evidence": [*map(row, witnesses)]}
    if programs is not None:
        found |= beyond_rules("cuda" if bench.cuda else "emulated", programs, limit)
    return found


def file_of(record: Mapping[str, Any]) -> str:
    """A name for its file: `cuda-nvidia-h100-80gb-hbm3-torch2.11.0.json`."""
    device = re.sub(r"\W+", "-", record["device"].lower())
    where = device if device.endswith("cuda") else f"cuda-{device}"
    return f"{where}-torch{record['torch'].partition('+')[0]}.json"


def beyond_rules(device: str, folder: Path, limit: float) -> dict[str, Any]:
    """What becomes of the programs of a folder, of PyTorch's functions, and of autocast's casts.

    `device`: cuda or emulated; `limit`: seconds for each; raises `BenchError`.
    """
    order = {"device": device, "programs": os.path.abspath(folder), "limit": limit}
    with ThreadPoolExecutor(1) as pool:
        operators = pool.submit(tried, device, _SHARES, limit)
        told = answer("programs", "devlint.confirm.evidence.session", order)
        return {**told, "operators": operators.result()}
