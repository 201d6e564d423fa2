"""`devlint confirm`: findings, with the verdicts of their rules' witnesses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import click

from devlint.cli import options as of_check
from devlint.cli.check import Lint, Request
from devlint.cli.options import Sectioned, Sections, given, options
from devlint.cli.output import complain
from devlint.cli.witnesses import WITNESSES, benched
from devlint.report.colour import place
from devlint.run.outcome import Outcome
from devlint.settings import Configuration

if TYPE_CHECKING:
    from devlint.confirm.witnesses.finding_evidence import Proof
    from devlint.confirm.witnesses.judge import Device

SECTIONS: Sections = {
    "Rules": of_check.RULES,
    "Files": (*of_check.GLOBS, of_check.STDIN_FILENAME),
    "Configuration": of_check.CONFIG,
    "Comments": (of_check.IGNORE_NOQA,),
    "Known findings": (of_check.BASELINE, of_check.DIFF_BASE),
    "Output": of_check.REPORT,
    "Run": (*WITNESSES, *of_check.EXIT_CODE, of_check.VERBOSE),
}
#: Nothing is mended, whatever configuration files say.
UNMENDED = {"fix": False, "fix_only": False}


@click.command(cls=Sectioned, sections=SECTIONS, short_help="Lint, and prove what is found.")
@click.argument("paths", nargs=-1, type=click.Path())
@options(SECTIONS)
def confirm(device: Device, time_limit: float, **options: Any) -> int:
    """Lint as devlint check does, and prove each finding by its rule's witness.

    A witness is two small programs, one with the bug and one without. They are run with the
    functions that the finding uses, on CUDA, or on emulated CUDA where there is none.

    This does NOT run your program, only witnesses: a verdict says that CUDA refuses such code, not
    that your program gets there. devlint run runs your program. -v shows the witnesses.

    Exit code: 0 without findings, 1 with findings, whatever the verdicts, 2 when anything could not
    be done.
    """
    request = Request.of(options)
    with benched("confirm"):
        configuration = request.configuration({**given(options), **UNMENDED})
        return Confirmation(request, configuration, device, time_limit).status()


class Confirmation(Lint):
    """A run whose findings have evidence."""

    def __init__(
        self, request: Request, configuration: Configuration, device: Device, limit: float
    ) -> None:
        super().__init__(request, configuration)
        self.device = device
        self.limit = limit

        self.proofs: list[Proof] = []

    def outcome(self) -> Outcome:
        from devlint.confirm.witnesses.finding_evidence import proofs
        from devlint.rule.registry import load_rules

        found = super().outcome()
        self.proofs = proofs(
            found.findings, load_rules(), self.sources.read, self.device, self.limit
        )
        found.findings = [each.finding for each in self.proofs]
        return found

    def comment(self, outcome: Outcome) -> None:
        super().comment(outcome)
        if self.request.verbose:
            complain(shown(self.proofs))


def shown(proofs: Iterable[Proof]) -> Iterator[str]:
    """The witnesses that were run, as programs to run again."""
    for finding, witness in ((each.finding, each.witness) for each in proofs):
        if witness is not None:
            head = f"# {place(finding.path, finding.span)}: witness of {finding.code}"
            text = f"{head}, buggy\n{witness.buggy}\n{head}, fixed\n{witness.fixed}"
            yield from text.split("\n")
