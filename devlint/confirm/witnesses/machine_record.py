"""What all witnesses do on a machine, to be kept and compared."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from devlint.confirm.witnesses.judge import Device, run
from devlint.confirm.witnesses.witness import Witness, witnesses_of
from devlint.rule.registry import AnyRule

#: What a record tells of each witness, besides which it is.
KEYS = ("verdict", "on", "torch", "error")


def record_of(rules: Iterable[AnyRule], device: Device, limit: float) -> dict[str, Any]:
    """The evidence of each witness of the rules, with the device and the version of torch.

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
    return {"device": device_name, "torch": bench.torch, "evidence": [*map(row, witnesses)]}
