"""Findings in files that do their worst: what every output format has to stand."""

from __future__ import annotations

from collections.abc import Sequence

from devlint.finding import Edit, Evidence, Finding, Patch, Related, Span
from devlint.report import Report, writer
from devlint.rule.registry import load_rules
from devlint.rule.self_reports import FAULTS

#: Markup, ends of CDATA and of a comment, quotes, percent signs, brackets, controls, what reverses
#: reading, an emoji, half a surrogate pair, and ends of lines.
NASTY = (
    "<script>alert(1)</script> ]]> --> &amp; \" ' % %0A ; ] , : "
    "\x00\x1b[31m \u202e 😀 \udc80 {0} [a](b)"
)
PATH = "a <b>&\"'%,;]:\x1b\u202e\udcff 設計.py"
NOTEBOOK = "nb 'é'.ipynb"
CODE = [
    "import torch",
    "",
    "class Net(nn.Module):",
    "    def forward(self, x):",
    f"        größe = '{NASTY}'; weights = torch.ones(3)",
    "\tmask = weights * x",
    "</script><script>alert(2)</script>",
]
CELL = ["import torch", "model.to('cuda')  # </pre>", "model(x)"]
FILES = {(PATH, None): CODE, (NOTEBOOK, 3): CELL, ("lib/net.py", None): ["x = '<!--'"]}


def span(line: int, column: int, end_line: int, end_column: int, cell: int | None = None) -> Span:
    return Span(cell, line, column, end_line, end_column)


def lines(path: str, cell: int | None) -> Sequence[str]:
    return FILES.get((path, cell), ())


EDITS = (Edit(span(5, 9, 5, 14), "größer"), Edit(span(6, 19, 6, 20), f"x.cpu(\n{NASTY})"))
FIXED = Finding(
    "DEV203",
    "tensor-without-device",
    f"first line\nsecond line {NASTY}",
    "warning",
    PATH,
    span(5, len(CODE[4]) - 12, 5, len(CODE[4]) + 1),
    (
        Related(PATH, span(4, 9, 4, 16), f"given here {NASTY}"),
        Related("lib/net.py", span(1, 1, 1, 6), "made\nthere"),
    ),
    Patch(f"move it {NASTY}", "unsafe", EDITS),
)
IN_CELL = Finding(
    "DEV201",
    "mixed-devices",
    "`model[0](x)` is given `{1}`",
    "error",
    NOTEBOOK,
    span(3, 1, 3, 9, 3),
    (Related(NOTEBOOK, span(2, 1, 2, 17, 3), "moved here"),),
    Patch("move it", "safe", (Edit(span(3, 7, 3, 8, 3), "x.cuda()"),)),
    Evidence("confirmed", "emulated CUDA", "2.13.0", f"RuntimeError: {NASTY}"),
)
FINDINGS = [
    FIXED,
    Finding("DEV801", "sync-in-loop", "waits", "perf", PATH, span(5, 9, 6, 19)),
    Finding("DEV801", "sync-in-loop", "waits", "perf", PATH, span(5, 14, 5, 15)),
    Finding("DEV901", "unused-suppression", "silences nothing", "note", PATH, span(7, 1, 7, 9)),
    IN_CELL,
    Finding("DEV902", "unreadable-file", "cannot read", "error", "gone.py", span(1, 1, 1, 1)),
    Finding("XYZ001", "of-another-pack", "what is it", "error", "lib/net.py", span(1, 1, 1, 2)),
]
COMPLAINTS = ["error: gone.py: cannot read", f"note: {NASTY}", "what: is this"]


def report(findings: Sequence[Finding], exit_code: int = 0) -> Report:
    return Report(
        findings,
        7,
        lines,
        rules=lambda: [*load_rules(), *FAULTS],
        complaints=COMPLAINTS if findings else (),
        exit_code=exit_code,
        file_line=lambda path, span: span.line if span.cell is None else 40 + span.line,
    )


def written(output_format: str, findings: Sequence[Finding] = FINDINGS) -> str:
    exit_code = 2 if findings else 0
    return "".join(f"{line}\n" for line in writer(output_format)(report(findings, exit_code)))
