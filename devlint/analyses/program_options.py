"""What a program sets for all of it: options of the command line, how processes start."""

from __future__ import annotations

from devlint.interpret.core.call import Arguments
from devlint.interpret.core.interpreter import Run
from devlint.lower import ir
from devlint.values.value import NOTHING, Kind, Value


def set_start_method(machine: Run, node: ir.Call, arguments: Arguments) -> Value:
    method = arguments.get(0, "method")
    machine.notes.start_method = method.value.payload if method is not None else None
    return NOTHING


def add_argument(machine: Run, node: ir.Call, receiver: Value, arguments: Arguments) -> None:
    """`parser.add_argument("--workers", default=4)` says what `args.workers` mostly is."""
    default = arguments.get(None, "default")
    if default is None or default.value.kind is not Kind.CONSTANT:
        return
    names = [a.value.payload for a in arguments.positional if isinstance(a.value.payload, str)]
    long = next((name for name in names if name.startswith("--")), names[0] if names else "")
    given = arguments.get(None, "dest")
    named = given.value.payload if given is not None else long.lstrip("-").replace("-", "_")
    machine.notes.settings[str(named)] = default.value.payload
