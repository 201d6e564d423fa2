"""Runs witnesses apart from this process, and judges what they did."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from typing import Any, Literal, TypeAlias

from devlint.confirm.emulation.torch_requirement import NO_CUDA
from devlint.confirm.witnesses.witness import Witness
from devlint.finding import Evidence, Verdict

#: Where programs find the folder for their temporary files.
_TEMPORARY = ("TMPDIR", "TEMP", "TMP")
#: What CUDA says where a program names a device beyond those that there are.
_NO_SUCH_DEVICE = "CUDA error: invalid device ordinal"

Device: TypeAlias = Literal["auto", "cuda", "emulated"]


class BenchError(Exception):
    """Witnesses cannot be run; the message says why."""


@dataclass(frozen=True, slots=True)
class Bench:
    """What programs did: the error that each ended with, or None.

    `cuda`: the device that they ran on, in words; None where CUDA was emulated.
    """

    errors: Mapping[str, str | None]
    torch: str
    cuda: str | None

    @property
    def on(self) -> str:
        return self.cuda or "emulated CUDA"

    def evidence(self, witness: Witness | None) -> Evidence:
        verdict, error = self._judged(witness)
        return Evidence(verdict, self.on, self.torch, error)

    def _judged(self, witness: Witness | None) -> tuple[Verdict, str | None]:
        """Confirmed is a witness only if the buggy program alone fails, and that as expected."""
        if witness is None:
            return "no witness", None
        if witness.needs_cuda and self.cuda is None:
            return "needs real CUDA", None
        buggy, fixed = (self.errors[each] for each in witness.programs)
        if package := missing_package(fixed or buggy or ""):
            return "needs a package", f"needs {package}, which is not installed"
        if _NO_SUCH_DEVICE in (fixed or buggy or ""):
            return "needs another device", None
        if fixed is not None:
            return "inconclusive", f"the fixed program fails: {first_line(fixed)}"
        if buggy is None:
            return "refuted", None
        telling = accepted(witness, buggy)
        return ("inconclusive", first_line(buggy)) if telling is None else ("confirmed", telling)


def accepted(witness: Witness, error: str) -> str | None:
    """The line of an error that has what the witness accepts."""
    lines = error.splitlines()
    return next((line for line in lines if any(part in line for part in witness.accepted)), None)


def missing_package(error: str) -> str | None:
    """The package that a program could not import, or torch for it."""
    match = re.match(r"ModuleNotFoundError: No module named '([^'.]+)", error)
    if error == "RuntimeError: Numpy is not available":
        return "numpy"
    return match and match[1]


def first_line(error: str) -> str:
    return error.partition("\n")[0]


def run(witnesses: Iterable[Witness], device: Device, limit: float) -> Bench:
    """Run each program of the witnesses once; `limit`: seconds for each. Raise `BenchError`."""
    witnesses = list(witnesses)
    told = answer(
        "witnesses",
        "devlint.confirm.witnesses.runner",
        {
            "device": device,
            "limit": limit,
            "programs": distinct(witnesses),
            "only_on_cuda": distinct(each for each in witnesses if each.needs_cuda),
        },
    )
    if told["results"] is None:
        raise BenchError(NO_CUDA)
    return Bench(told["results"], told["torch"], told["cuda"])


def distinct(witnesses: Iterable[Witness]) -> list[str]:
    return list(dict.fromkeys(program for each in witnesses for program in each.programs))


def answer(what: str, module: str, order: Mapping[str, Any]) -> dict[str, Any]:
    """What a module makes of an order, in a folder that is gone afterwards; raises `BenchError`,
    which says `what` cannot be run."""
    with TemporaryDirectory(prefix="devlint-", ignore_cleanup_errors=True) as folder:
        done = subprocess.run(
            [sys.executable, "-m", module],
            input=json.dumps(order),
            capture_output=True,
            text=True,
            encoding="utf-8",
            cwd=folder,
            env={**os.environ, **dict.fromkeys(_TEMPORARY, folder), "PYTHONIOENCODING": "utf-8"},
        )
    if done.returncode != 0:
        last = done.stderr.strip().rpartition("\n")[2] or f"exit code {done.returncode}"
        raise BenchError(f"{what} cannot be run: {last}")
    told: dict[str, Any] = json.loads(done.stdout)
    return told
