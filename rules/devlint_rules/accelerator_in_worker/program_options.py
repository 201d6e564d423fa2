"""What a program sets for all of it: options of the command line, how processes start."""

from __future__ import annotations

from devlint.api import Analysis, Arguments, Calling, Kind, Run, on

#: What sets how the processes of a program start.
START_METHODS = frozenset(
    {"multiprocessing.set_start_method", "torch.multiprocessing.set_start_method"}
)

#: Start methods of processes that inherit nothing.
AFRESH = frozenset({"spawn", "forkserver"})


class ProgramOptions(Analysis[Run]):
    """Keeps the defaults of the options of a program, and how it starts its processes."""

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self.start_method: object = None
        #: The defaults by the names of the options.
        self.settings: dict[str, object] = {}

    @on(Calling)
    def call(self, signal: Calling) -> None:
        call = signal.call
        if call.is_method and call.name == "add_argument":
            self.add(call.arguments)
        elif not call.is_method and call.name in START_METHODS:
            method = call.arguments.get(0, "method")
            self.start_method = method.value.payload if method is not None else None

    def add(self, arguments: Arguments) -> None:
        """`parser.add_argument("--workers", default=4)` says what `args.workers` mostly is."""
        default = arguments.get(None, "default")
        if default is None or default.value.kind is not Kind.CONSTANT:
            return
        names = [a.value.payload for a in arguments.positional if isinstance(a.value.payload, str)]
        long = next((name for name in names if name.startswith("--")), names[0] if names else "")
        given = arguments.get(None, "dest")
        named = given.value.payload if given is not None else long.lstrip("-").replace("-", "_")
        self.settings[str(named)] = default.value.payload
