"""Fuzzes by coverage: `python -m tests.fuzzing [--seconds 60] [TARGET ..]`.

Needs atheris, which nothing else does. Each target has a process of its own; what it crashes on is
left in the folder that is named. Exits with 1 if there is such a thing.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path

NAMES = "lowering notebook markdown configuration baseline cache journal server".split()
#: Seconds for one text, and megabytes of memory for all.
SLOWEST, MOST = 25, 2_048


def main() -> int:
    parser = argparse.ArgumentParser("python -m tests.fuzzing", description=__doc__)
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument("--crashes", default="", help="the folder for what crashes")
    parser.add_argument("targets", nargs="*", default=NAMES, choices=[*NAMES, []])
    options = parser.parse_args()
    crashes = options.crashes or tempfile.mkdtemp(prefix="crashes-")
    failed = [name for name in options.targets if not fuzzed(name, options.seconds, crashes)]
    print(f"crashes of {', '.join(failed)} are in {crashes}" if failed else "no crashes")
    return int(bool(failed))


def fuzzed(name: str, seconds: int, crashes: str) -> bool:
    """Whether nothing crashed; a line says how much was tried."""
    from tests.fuzzing.seeds import seeds

    with tempfile.TemporaryDirectory() as corpus:
        for number, data in enumerate(seeds(name)):
            Path(corpus, f"seed-{number}").write_bytes(data)
        limits = [f"-max_total_time={seconds}", f"-timeout={SLOWEST}", f"-rss_limit_mb={MOST}"]
        where = f"-artifact_prefix={crashes}{os.sep}{name}-"
        command = [sys.executable, "-m", "tests.fuzzing", "--one", name]
        ran = subprocess.run(
            [*command, *limits, where, "-print_final_stats=1", corpus],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    told = ran.stderr + ran.stdout
    tried = re.findall(r"number_of_executed_units: (\d+)", told)
    reached = re.findall(r"cov: (\d+)", told)
    print(f"{name}: {tried[-1:]} executions, coverage {reached[-1:]}", flush=True)
    if ran.returncode:
        print(told[-3_000:])
    return ran.returncode == 0


def one(name: str, arguments: list[str]) -> None:
    """What the process of a target does, until libFuzzer ends it."""
    atheris = import_module("atheris")
    with atheris.instrument_imports(include=["devlint", "devlint_rules"]):
        from tests.fuzzing.targets import TARGETS
    import_module("devlint.lower.limits").allow_recursion()
    atheris.Setup([name, *arguments], TARGETS[name])
    atheris.Fuzz()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        one(sys.argv[2], sys.argv[3:])
    sys.exit(main())
