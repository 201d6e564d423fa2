"""Facts about mutants: whether each breaks, stays correct or cannot be run, and why."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

from .driver import DEVICE_ERROR
from .mutation import Mutant

Kind = Literal["breaks", "correct", "unrunnable"]
KINDS: tuple[Kind, ...] = ("breaks", "correct", "unrunnable")
DRIVER = Path(__file__).with_name("driver.py")
#: Seconds; nothing here trains for long.
LIMIT = 60


class Verdict(NamedTuple):
    """`judge` is what ran the mutant, or "hand"."""

    kind: Kind
    judge: str
    why: str


class Run(NamedTuple):
    status: int
    last_words: str


def read(path: Path) -> dict[str, Verdict]:
    """By the digest of the mutant."""
    verdicts: dict[str, Verdict] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        fields = json.loads(line)
        if fields["verdict"] not in KINDS:
            raise ValueError(f"verdict {number}: none of {', '.join(KINDS)}")
        verdicts[fields["digest"]] = Verdict(fields["verdict"], fields["judge"], fields["why"])
    return verdicts


def written(mutant: Mutant, verdict: Verdict) -> str:
    fields = {
        "program": mutant.program.path,
        "title": mutant.program.title,
        "operator": mutant.operator.name,
        "line": mutant.line,
        "digest": mutant.digest,
        "verdict": verdict.kind,
        "judge": verdict.judge,
        "why": verdict.why,
    }
    return json.dumps(fields)


def judged(
    mutants: Iterable[Mutant], command: Sequence[str], judge: str
) -> Iterator[tuple[Mutant, Verdict]]:
    """What the command says of each.

    A mutant of a silent operator that runs is left to be judged by hand.
    """
    every = list(mutants)
    texts = {each.program.text for each in every} | {each.text for each in every}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = dict(zip(texts, pool.map(partial(run, command), texts), strict=True))
    for mutant in every:
        original = runs[mutant.program.text]
        if original.status:
            yield mutant, Verdict("unrunnable", judge, f"the program: {original.last_words}")
        elif not mutant.operator.is_silent or runs[mutant.text].status:
            yield mutant, verdict(runs[mutant.text], judge)


def verdict(ran: Run, judge: str) -> Verdict:
    kinds: dict[int, Kind] = {0: "correct", DEVICE_ERROR: "breaks"}
    return Verdict(kinds.get(ran.status, "unrunnable"), judge, ran.last_words)


def run(command: Sequence[str], text: str) -> Run:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "program.py")
        path.write_text(text, encoding="utf-8")
        try:
            done = subprocess.run(
                [*command, DRIVER, path],
                cwd=folder,
                capture_output=True,
                text=True,
                timeout=LIMIT,
            )
        except subprocess.TimeoutExpired:
            return Run(1, f"no end within {LIMIT} seconds")
    return Run(done.returncode, last_words(done.stdout) if done.returncode else "")


def last_words(printed: str) -> str:
    """The driver's last line: the exception."""
    lines = printed.strip().splitlines() or ["?"]
    return lines[-1][:120].strip()
