"""What becomes of scripts on emulated CUDA, beside plain torch, and with bugs put into them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp, log
from pathlib import Path
from statistics import fmean, median

from .engine import Found, Outcome, Place, emulated, line_text, plain
from .facts import Injection, Script
from .workplace import environment, workplace

_LOADS = Path(__file__).with_name("loads.py")


@dataclass(frozen=True, slots=True)
class Comparison:
    """`seconds`: CPU time, plain and emulated; `loads`: plain torch reads the checkpoint."""

    script: Script
    plain: Outcome
    emulated: Outcome
    seconds: tuple[float, float]
    loads: bool | None

    @property
    def is_clean(self) -> bool:
        """Both ran to the end, without a device event."""
        runs = (self.plain, self.emulated)
        return all(run.status == 0 for run in runs) and self.loads is not False

    @property
    def ratio(self) -> float:
        return self.seconds[1] / self.seconds[0]


def compared(script: Script, repositories: Path, rounds: int) -> Comparison:
    """The worst of so many rounds, each of one plain run and one emulated run; the median times."""
    found = [_round(script, repositories) for _ in range(rounds)]
    plain_seconds, emulated_seconds = zip(*(each.seconds for each in found), strict=True)
    worst = min(found, key=lambda each: each.is_clean)
    return replace(worst, seconds=(median(plain_seconds), median(emulated_seconds)))


def _round(script: Script, repositories: Path) -> Comparison:
    with workplace(script, repositories) as root:
        alone = plain(root / script.path, (*script.arguments, *script.on_cpu), root)
    with workplace(script, repositories) as root:
        run = _emulated(script, root, goes_on=True)
        return Comparison(script, alone, run, (alone.seconds, run.seconds), _loads(script, root))


def _emulated(script: Script, root: Path, *, goes_on: bool) -> Outcome:
    arguments = (*script.arguments, *script.on_cuda)
    return emulated(root / script.path, arguments, root, script.devices, goes_on=goes_on)


def _loads(script: Script, root: Path) -> bool | None:
    """Whether plain torch reads what the script saved, with weights only, and on the CPU."""
    if not script.checkpoint:
        return None
    path = (root / script.path).parent / script.checkpoint
    command = [sys.executable, str(_LOADS), str(path)]
    return subprocess.run(command, env=environment(root), check=False).returncode == 0


def geometric_mean(ratios: Sequence[float]) -> float:
    return exp(fmean(map(log, ratios)))


@dataclass(frozen=True, slots=True)
class Catch:
    """`crash`, `born`: the event names the line that crashes and that of the culprit.

    Of a look-alike: it ran to its end without an event. `found`: with the verdicts of a run that
    went on after its events.
    """

    injection: Injection
    outcome: Outcome
    crash: bool
    born: bool
    found: tuple[Found, ...] = ()

    @property
    def is_caught(self) -> bool:
        return self.crash and self.born


def caught(injection: Injection, script: Script, repositories: Path) -> Catch:
    """By the first device event of the script with the bug in it."""
    with workplace(script, repositories, injection.changes) as root:
        outcome = _emulated(script, root, goes_on=False)
        catch = judged(injection, outcome, (root / script.path).parent)
    if all(each.is_confirmed for each in outcome.found):
        return replace(catch, found=outcome.found)
    with workplace(script, repositories, injection.changes) as root:
        return replace(catch, found=_emulated(script, root, goes_on=True).found)


def judged(injection: Injection, outcome: Outcome, folder: Path) -> Catch:
    """The paths of the outcome are below the folder, or whole."""
    if not injection.crash:
        return Catch(injection, outcome, outcome.status == 0, True)
    event = outcome.events[0] if outcome.events else None
    stack = _lines(folder, event.stack) if event else set()
    births = _lines(folder, event.births) if event else set()
    born = not injection.born or injection.born in births
    return Catch(injection, outcome, injection.crash in stack, born)


def _lines(folder: Path, places: Sequence[Place]) -> set[str]:
    return {line_text(folder, place) for place in places}
