"""Whether a command starts Python."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Literal

_PYTHON = re.compile(r"(python|pypy)[\d.]*[a-z]?(\.exe)?", re.I)
_SHELLS = {"sh", "bash", "dash", "zsh", "ksh"}
#: Programs that start the one that their arguments name.
_WRAPPERS = set(
    "env exec ionice mpiexec mpirun nice nohup nsys numactl setsid srun stdbuf strace taskset time "
    "timeout xvfb-run".split()
)
#: With these Python says something and ends before it runs any code.
_WITHOUT_CODE = re.compile(r"-(V+|h|\?|-version|-help.*)")
_SEPARATORS = set("();|&")
_ASSIGNMENT = re.compile(r"\w+=.*", re.S)


def python_in(command: Sequence[str]) -> Literal["itself", "within", "no"]:
    """Whether this command is Python itself, or has it start within what it starts."""
    if is_python(command[0]):
        runs = not any(_WITHOUT_CODE.fullmatch(each) for each in command[1:2])
        return "itself" if runs else "no"
    return "within" if any(python_in(each) != "no" for each in _inner(command)) else "no"


def is_python(program: str) -> bool:
    """The interpreter, or a script whose first line names it, as that of `torchrun`."""
    if _PYTHON.fullmatch(os.path.basename(program)):
        return True
    import shutil  # It takes long; most processes start none.

    try:
        with open(shutil.which(program) or program, "rb") as file:
            first = file.readline(200)
    except (OSError, ValueError):
        return False
    return first.startswith(b"#!") and b"python" in first


def _inner(command: Sequence[str]) -> Iterator[Sequence[str]]:
    """The commands that this one starts."""
    name = os.path.basename(command[0])
    if name in _SHELLS and "-c" in command[1:-1]:
        yield from _of_shell(command[command.index("-c", 1) + 1])
    elif name in _WRAPPERS:
        yield from (command[place:] for place in range(1, len(command)))


def _of_shell(text: str) -> Iterator[list[str]]:
    """The commands in a text for the shell, without what they set."""
    for line in text.splitlines():
        words = shlex.shlex(line, posix=True, punctuation_chars=True)
        words.whitespace_split = True
        found: list[str] = []
        with suppress(ValueError):  # A quotation that goes on in the next line.
            for word in words:
                if set(word) <= _SEPARATORS:
                    yield from filter(None, [found])
                    found = []
                elif found or not _ASSIGNMENT.fullmatch(word):
                    found.append(word)
        yield from filter(None, [found])
