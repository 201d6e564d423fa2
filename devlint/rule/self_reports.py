"""Faults: what devlint reports about itself or about files that it cannot analyse."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import ClassVar

from devlint.finding import START, Finding, Patch, Span
from devlint.rule.problem import Problem
from devlint.rule.rule import Rule


class Fault(Rule[object]):
    """A code that the engine reports by itself.

    What could not be done is a complaint: also a line on stderr, and reported whatever `--select`
    says, unless `--ignore` names it.
    """

    watches = type(None)
    is_complaint: ClassVar[bool] = True

    def check(self, event: object) -> Iterator[Problem]:
        yield from ()

    @classmethod
    def page(cls) -> str:
        return inspect.getdoc(cls) or ""

    @classmethod
    def at(cls, path: str, message: str, span: Span = START, fix: Patch | None = None) -> Finding:
        return Finding(cls.code, cls.name, message, cls.severity, path, span, fix=fix)


class UnusedSuppression(Fault):
    """A comment that silences findings silences none.

    ## Why is this bad?

    The comment says that something is wrong in its line, and nothing is: what it excused has been
    mended, or its code is mistyped and the finding that it was meant for is reported all the same.
    If the line goes wrong later, the comment hides it.

    ## Bad

    ```python
    import torch

    model = torch.nn.Linear(4, 2).to(device)
    model.train()  # devlint: ignore[DEV101]  # expect: DEV901
    model.eval()  # devlint: ignore[DEV4011]  # expect: DEV901
    ```

    ## Fixed

    ```python
    import torch

    model = torch.nn.Linear(4, 2).to(device)
    model.train()
    model.eval()  # devlint: ignore[DEV4011]  # expect: DEV901
    ```

    ## Good

    ```python
    import torch

    model = torch.nn.Linear(4, 2).to(device)
    torch.save(model.state_dict(), path)  # devlint: ignore[DEV401]
    ```

    ## What to do

    Remove the comment, or the code in it that the message names, as the fix does. A code that is
    mistyped has no fix: it may have been meant for something. Nor has a comment that silences
    nothing for the way it is written, such as `# devlint: disable=DEV201`: the message says how to
    write it.

    ## When it is silent

    A code is judged in runs in which its rule runs, a comment without codes when all default rules
    do. In a `# noqa` only the codes of devlint's rules are judged: the others belong to other
    linters. `ignore-file` without codes is never judged, nor is a file that could not be analysed.
    A comment that should stay names this rule as well: `# devlint: ignore[DEV401, DEV901]`.

    This is a note: the exit code does not change.
    """

    code = "DEV901"
    name = "unused-suppression"
    summary = "a comment that silences findings silences none"
    severity = "note"
    is_complaint = False


class UnreadableFile(Fault):
    """A file cannot be read or parsed.

    ## Why is this bad?

    Nothing in the file was checked. The file does not exist for its reader, its bytes do not fit
    its encoding, its syntax is wrong for every Python version that devlint knows, or a notebook is
    no valid JSON. In a folder only files that mention torch are parsed; a file that is named always
    is.

    ## What to do

    Mend the file. Python source is UTF-8 unless a coding comment in its first two lines says
    otherwise. A file that is meant to be broken can be left out with `--exclude`, or carry the
    comment `# devlint: ignore-file`.

    The exit code is 2; other files are checked as usual.
    """

    code = "DEV902"
    name = "unreadable-file"
    summary = "a file cannot be read or parsed"
    severity = "error"


class SkippedFile(Fault):
    """A file is beyond what can be analysed, or a cell of a notebook is no Python.

    ## Why is this bad?

    Nothing in the file was checked: it is too large, nests too deeply or chains too many operators
    or calls, so that reading it would take minutes or end the process.

    Where only LibCST cannot take the file, and Python's own parser can, the file was checked, but
    no fixes are made. The message says so.

    Of a notebook all is checked but the cell that the message names, which Python cannot parse.
    What the cell assigns or is handed is unknown from there on.

    ## What to do

    Such files are mostly generated. Leave them out with `--exclude`, or split the expression that
    the message names. Mend the cell; if it is to stay as it is, it can be no code cell.

    ## When it is silent

    Nothing is said of cells with gaps to be filled in (`loss = # TODO`, a function without a body),
    with `print` statements of Python 2 or with magics that devlint does not know, nor in notebooks
    that have nothing to do with devices.

    This is a note: the exit code does not change.
    """

    code = "DEV903"
    name = "skipped-file"
    summary = "a file is beyond what can be analysed, or a cell is no Python"
    severity = "note"


class RefusedByCuda(Fault):
    """A line of a program that ran is one that CUDA refuses.

    ## Why is this bad?

    `devlint run` ran the program and compared where the operands of every operator are. At this
    line CUDA raises. The related places tell where the operands come from: what is in the wrong
    place was put there, or forgotten there, in one of them.

    ## Bad

    ```python
    import torch

    weights = torch.ones(3)
    loss = torch.ones(3, device="cuda") * weights
    ```

    ## Good

    ```python
    import torch

    weights = torch.ones(3, device="cuda")
    loss = torch.ones(3, device="cuda") * weights
    ```

    ## What to do

    Make or move the operand on the device of the others, where it is made rather than where it is
    used. With `--keep-going` one run tells all such lines.

    Only a run reports this, `devlint check` does not.
    """

    code = "DEV910"
    name = "refused-by-cuda"
    summary = "a line of a program that `devlint run` ran is one that CUDA refuses"
    severity = "error"
    is_complaint = False


class BreaksWhenShifted(Fault):
    """A call of a test for the CPU is one that CUDA refuses.

    ## Why is this bad?

    `pytest --devlint-shift` ran tests that a package has for the CPU, and each call into it as if
    the module and the arguments were on a GPU. At this line CUDA raises, for what the package has
    made or kept on the CPU. Whoever moves the module to a GPU gets that error. The related places
    tell where the operands come from, and the message which module was called, and by which test.

    ## Bad

    ```python
    import torch

    class Positions(torch.nn.Module):
        def __init__(self, size):
            super().__init__()
            self.table = torch.arange(size)

        def forward(self, x):
            return x + self.table
    ```

    ## Good

    ```python
    import torch

    class Positions(torch.nn.Module):
        def __init__(self, size):
            super().__init__()
            self.register_buffer("table", torch.arange(size), persistent=False)

        def forward(self, x):
            return x + self.table
    ```

    ## What to do

    Register what a module keeps, as a buffer or a parameter, so that `.to` takes it along. Make
    what a call needs on the device of its arguments: `torch.zeros(n, device=x.device)`. Take a
    tensor to the CPU before it becomes an array: `x.cpu().numpy()`.

    Only shifted tests and `devlint shift` report this, `devlint check` does not.
    """

    code = "DEV911"
    name = "breaks-when-shifted"
    summary = "a call of a test for the CPU is one that CUDA refuses (`pytest --devlint-shift`)"
    severity = "error"
    is_complaint = False


class InternalError(Fault):
    """devlint itself failed on a file.

    ## Why is this bad?

    A rule or the analysis raised an exception, so that findings in this file may be missing.

    ## What to do

    Run again with `-v` to see the traceback, and report it together with the code of the line.
    `--ignore` of the rule that the message names goes around it.

    The exit code is 2; other rules and files are checked as usual.
    """

    code = "DEV999"
    name = "internal-error"
    summary = "devlint itself failed on a file"
    severity = "error"


FAULTS: tuple[type[Fault], ...] = (
    UnusedSuppression,
    UnreadableFile,
    SkippedFile,
    InternalError,
)
#: Faults after which the run cannot be called complete.
FAILURES = (UnreadableFile.code, InternalError.code)
#: The severity of each complaint, which opens its line on stderr.
COMPLAINTS = {fault.code: fault.severity for fault in FAULTS if fault.is_complaint}
#: All codes that are no rules, those that no check reports among them.
OWN_CODES: tuple[type[Fault], ...] = (*FAULTS, RefusedByCuda, BreaksWhenShifted)
