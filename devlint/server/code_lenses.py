"""What may be tried with a program, above it."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from devlint.run.prefilter import does_something, mentions_devices
from devlint.server.analysis import Analysis

GUARD = "if __name__"
#: Commands of the editor, each given the URI of the file: to run it on emulated CUDA, and to run
#: the small programs that prove what is found in it.
DRY_RUN, CONFIRM = "devlint.dryRun", "devlint.confirm"


def code_lenses(analysis: Analysis) -> Iterator[types.CodeLens]:
    """Those of a file of Python, where it says what happens when it is run, or else at the top."""
    buffer = analysis.buffer
    if buffer.is_notebook or not buffer.path.endswith(".py"):
        return
    lines = buffer.parts[0].text.split("\n")
    line = next((n for n, each in enumerate(lines) if each.startswith(GUARD)), 0)
    start = types.Position(line, 0)
    for title, command in offered(analysis):
        yield types.CodeLens(
            types.Range(start, start), types.Command(title, command, arguments=[buffer.uri])
        )


def offered(analysis: Analysis) -> Iterator[tuple[str, str]]:
    text = analysis.buffer.parts[0].text
    if mentions_devices(text) and does_something(text):
        yield "Dry-run on emulated CUDA", DRY_RUN
    if count := len(analysis.findings or ()):
        what = "the finding" if count == 1 else f"{count} findings"
        yield f"Confirm {what} by small programs", CONFIRM
