"""What all witnesses do on a machine, to be kept and compared."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from devlint.confirm.bench import Device, run
from devlint.confirm.witness import witness_of
from devlint.registry import AnyRule

#: What a record tells of each rule.
KEYS = ("verdict", "on", "torch", "error")


def record_of(rules: Iterable[AnyRule], device: Device, limit: float) -> dict[str, Any]:
    """The evidence of each rule that has a witness, with the device and the version of torch.

    `limit`: seconds for each program; raises `BenchError`.
    """
    witnesses = [found for rule in rules if (found := witness_of(rule))]
    bench = run(witnesses, device, limit)
    evidence = [(each.code, asdict(bench.evidence(each))) for each in witnesses]
    rows = [{"code": code, **{key: told[key] for key in KEYS}} for code, told in evidence]
    return {"device": bench.on.removeprefix("CUDA, "), "torch": bench.torch, "evidence": rows}
