"""The command that starts a process of ours, in which code of the user is to run."""

from __future__ import annotations

import subprocess
import sys

#: `-c` puts the working directory first on the path; what is in it must not stand for our modules.
_PROGRAM = (
    "import sys; sys.path[:1] == [''] and sys.path.pop(0); "
    "from {module} import main; main(*sys.argv[1:])"
)


def own_process(module: str, *arguments: str) -> list[str]:
    """Calls `main` of the module with the arguments, in a Python like this one."""
    flags = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]
    return [sys.executable, *flags, "-c", _PROGRAM.format(module=module), *arguments]
