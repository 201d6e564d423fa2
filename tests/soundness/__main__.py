"""Judges the linter by programs that run: `python -m tests.soundness [--count 2000] [--seed 0]`.

A table by construct, then each program, reduced, of which the linter says too much or, with
`--silent`, too little. Exits with 1 where an error is false.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable

from devlint.confirm.device_tags.device_event import DeviceEvent
from devlint.lower.limits import allow_recursion
from devlint.testing import emulated_cuda
from tests.soundness.programs import HEAD, program
from tests.soundness.verdicts import Verdict, reduced, verdict


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--silent", action="store_true")
    options = parser.parse_args()
    allow_recursion()
    with emulated_cuda() as events:
        seeds = range(options.seed, options.seed + options.count)
        wrong = judged(seeds, events, is_silent=options.silent)
        for seed, kind in wrong:
            show(seed, kind, events)
    raise SystemExit(any(kind is false for _, kind in wrong))


def judged(
    seeds: range, events: list[DeviceEvent], *, is_silent: bool
) -> list[tuple[int, Callable[[Verdict], object]]]:
    """Print how often the linter was right; the programs where it was not, and in what."""
    total, raising, silent = Counter[str](), Counter[str](), Counter[str]()
    wrong: list[tuple[int, Callable[[Verdict], object]]] = []
    for seed in seeds:
        one = program(seed)
        if (found := verdict(one.text, events)) is None:
            continue
        total.update(programs=1, errors=found.errors, false=len(found.false))
        total.update(raising=len(found.raising), silent=len(found.silent))
        for construct in one.constructs:
            raising[construct] += len(found.raising)
            silent[construct] += len(found.silent)
        if found.false:
            wrong.append((seed, false))
        if found.silent and is_silent:
            wrong.append((seed, unheard))
    print(", ".join(f"{name}: {number:,}" for name, number in total.items()))
    for construct, number in raising.most_common():
        print(f"{construct:24} {silent[construct]:5} silent of {number:5}")
    return wrong


def false(found: Verdict) -> object:
    return found.false


def unheard(found: Verdict) -> object:
    return found.silent


def show(seed: int, kind: Callable[[Verdict], object], events: list[DeviceEvent]) -> None:
    def is_wanted(text: str) -> bool:
        found = verdict(text, events)
        return found is not None and bool(kind(found))

    text = reduced(program(seed).text, is_wanted)
    found = verdict(text, events)
    print(f"\n{seed}: {kind.__name__}: {found and kind(found)}\n{text.removeprefix(HEAD)}")


if __name__ == "__main__":
    main()
