"""Lines that run are told, once each, in every thread and of watched files only."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

PROGRAM = """\
import threading

def f(x):
    if x:
        return 1
    return 2

for _ in range(3):
    f(True)
thread = threading.Thread(target=lambda: f(
    False))
thread.start()
thread.join()
"""
WATCHED = """\
import json, runpy, sys
from devlint.confirm.dry_run.line_coverage import watch

path = sys.argv[1]
told = []
watch([(path, 3, 6), (path, 11, 11)], lambda *place: told.append(place))
runpy.run_path(path)
print(json.dumps(told))
"""
LAST = """\
import builtins, os, sys

class Last:
    def __del__(self, trace=sys.gettrace, write=os.write):
        write(1, f"{trace()}\\n".encode())

builtins.last = Last()
"""


def test_lines_are_told_once(tmp_path: Path) -> None:
    program = tmp_path.resolve() / "program.py"
    program.write_text(PROGRAM)
    command = [sys.executable, "-c", WATCHED, str(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    assert {path for path, _ in told} == {str(program)}
    assert sorted(line for _, line in told) == [3, 4, 5, 6, 11]


def test_nothing_is_traced_when_python_is_taken_down(tmp_path: Path) -> None:
    """Then there is nothing left that could tell a line."""
    program = tmp_path.resolve() / "program.py"
    program.write_text(LAST)
    command = [sys.executable, "-c", WATCHED, str(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[1:] == ["None"]
    assert done.stderr == ""
