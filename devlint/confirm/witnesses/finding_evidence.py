"""Gives findings the verdicts of their rules' witnesses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from devlint.confirm.witnesses.finding_usage import Usage
from devlint.confirm.witnesses.judge import Bench, Device, run
from devlint.confirm.witnesses.specialise import specialised
from devlint.confirm.witnesses.witness import Witness, witness_of, witnesses_of
from devlint.finding import Finding
from devlint.rule.registry import AnyRule

#: Verdicts after which no other witness has to be asked.
_FINAL = ("confirmed", "needs real CUDA", "no witness")


@dataclass(frozen=True, slots=True)
class Proof:
    """A finding with its evidence, and the witness that it comes from."""

    finding: Finding
    witness: Witness | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """A finding with the witness that is specialised to it, and the general one of its rule."""

    finding: Finding
    special: Witness | None
    general: Witness | None

    @property
    def witnesses(self) -> Iterator[Witness]:
        yield from filter(None, (self.special, self.general))

    def proof(self, bench: Bench) -> Proof:
        witness, evidence = self.special, bench.evidence(self.special)
        if evidence.verdict not in _FINAL and self.special != self.general:
            witness = self.general
            evidence = replace(bench.evidence(self.general), is_general=True)
        return Proof(replace(self.finding, evidence=evidence), witness)


def proofs(
    findings: Sequence[Finding],
    rules: Sequence[AnyRule],
    read: Callable[[str], bytes],
    device: Device,
    limit: float,
) -> list[Proof]:
    """The findings, those of rules with what their witnesses showed; raise `BenchError`.

    `read` gives the bytes of a path, `limit` is in seconds for each program.
    """
    by_code = {rule.code: rule for rule in rules}
    witnesses = cache(witnesses_of)
    usage = cache(lambda path: Usage(path, read(path)))

    def case(finding: Finding) -> Case:
        general = witness_of(finding, witnesses(by_code[finding.code]))
        special = general and specialised(general, finding, usage(finding.path))
        return Case(finding, special, general)

    cases = {each: case(each) for each in findings if each.code in by_code}
    if not cases:
        return [*map(Proof, findings)]
    bench = run([w for each in cases.values() for w in each.witnesses], device, limit)
    return [cases[each].proof(bench) if each in cases else Proof(each) for each in findings]
