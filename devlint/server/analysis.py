"""What is found in a buffer, half typed as it may be."""

from __future__ import annotations

import os
from dataclasses import dataclass

from devlint.files.discover import Selection
from devlint.finding import Finding
from devlint.rule.registry import RulePackError, UnknownRuleError
from devlint.rule.self_reports import SkippedFile
from devlint.run.fix import mended
from devlint.run.plan import Plan
from devlint.run.plans import Plans
from devlint.server.buffer import Buffer
from devlint.server.drafts import drafted
from devlint.settings import Configuration, ConfigurationError


@dataclass(frozen=True, slots=True)
class Analysis:
    """`findings` is None where the text says too little: it has more than one wound.

    `complaint` says what is wrong with the configuration.
    """

    buffer: Buffer
    findings: tuple[Finding, ...] | None
    complaint: str | None = None


def analysed(buffer: Buffer) -> Analysis:
    # The configuration may have been edited since the last time.
    configuration = Configuration({"force_exclude": True})
    try:
        if Selection(configuration).forbids(os.path.abspath(buffer.path), is_folder=False):
            return Analysis(buffer, ())
        plan = Plans(configuration).plan(buffer.path)
    except (ConfigurationError, RulePackError, UnknownRuleError) as error:
        return Analysis(buffer, (), str(error.args[0]))
    draft = drafted(buffer)
    if draft is None:
        return Analysis(buffer, None)
    return Analysis(buffer, tuple(map(draft.told, found(draft.buffer, plan))))


def found(buffer: Buffer, plan: Plan) -> tuple[Finding, ...]:
    told = plan.findings(plan.check(buffer.path, buffer.data).findings)
    # That a cell does not parse goes without saying while one types.
    return tuple(e for e in told if not (buffer.is_notebook and e.code == SkippedFile.code))


def fixed(buffer: Buffer) -> tuple[str, ...]:
    """The texts of the parts after all fixes that may be applied unasked."""
    plan = Plans(Configuration()).plan(buffer.path)
    return buffer.texts(mended(buffer.path, buffer.data, found(buffer, plan), plan).after)
