"""What is found in a buffer, half typed as it may be."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from devlint.files.discover import Selection
from devlint.finding import Finding
from devlint.project.project import Project
from devlint.rule.registry import RulePackError, UnknownRuleError
from devlint.rule.self_reports import SkippedFile
from devlint.run.fix import mended
from devlint.run.plan import Plan
from devlint.run.plans import Plans
from devlint.run.session import no_garbage_collection
from devlint.server.buffer import Buffer
from devlint.server.client_settings import ClientSettings
from devlint.server.drafts import drafted
from devlint.server.surroundings import Surroundings
from devlint.settings import ConfigurationError
from devlint.settings.project_names import Vocabulary
from devlint.text.source_text import UndecodableError

#: What is raised by a text that is no program, or not yet.
HALF_TYPED = (SyntaxError, ValueError, RecursionError, MemoryError, UndecodableError)
#: What is raised by a configuration that cannot be followed.
MISCONFIGURED = (ConfigurationError, RulePackError, UnknownRuleError)


@dataclass(frozen=True, slots=True)
class Analysis:
    """`findings` is None where the text says too little: it has more than one wound.

    `project` is that by which it was read, `complaint` says what is wrong with the configuration.
    """

    buffer: Buffer
    findings: tuple[Finding, ...] | None
    project: Project | None = None
    complaint: str | None = None


class Analyst:
    """Looks at buffers, as the `settings` of the editor have it."""

    def __init__(self) -> None:
        self.settings = ClientSettings()
        self._surroundings = Surroundings()

    def analysed(
        self, buffer: Buffer, texts: Mapping[str, bytes], known: Analysis | None = None
    ) -> Analysis:
        """What is found in a buffer where `texts` are open, by absolute paths; the `known` analysis
        where that still holds."""
        try:
            configuration = self.settings.configuration()
            path = os.path.abspath(buffer.path)
            if Selection(configuration).forbids(path, is_folder=False):
                return Analysis(buffer, ())
            project = self._surroundings.project(path, configuration, texts)
            if known and (known.buffer, known.project) == (buffer, project):
                return known
            plan = Plans(configuration, project).plan(buffer.path)
        except MISCONFIGURED as error:
            return Analysis(buffer, (), complaint=str(error.args[0]))
        draft = drafted(buffer)
        if draft is None:
            return Analysis(buffer, None, project)
        told = tuple(map(draft.told, found(draft.buffer, plan)))
        return Analysis(buffer, told, project)

    def fixed(self, analysis: Analysis) -> tuple[str, ...]:
        """The texts of the parts after all fixes that may be applied unasked."""
        buffer = analysis.buffer
        plan = Plans(self.settings.configuration(), analysis.project).plan(buffer.path)
        return buffer.texts(mended(buffer.path, buffer.data, found(buffer, plan), plan).after)

    def vocabulary(self, analysis: Analysis) -> Vocabulary:
        """What the settings of a file call things. Raises what a configuration raises that cannot
        be followed."""
        return Vocabulary.of(self.settings.configuration().settings(analysis.buffer.path))

    def forget(self, path: str) -> None:
        self._surroundings.forget(os.path.abspath(path))


def found(buffer: Buffer, plan: Plan) -> tuple[Finding, ...]:
    with no_garbage_collection():
        told = plan.findings(plan.check(buffer.path, buffer.data).findings)
    # That a cell does not parse goes without saying while one types.
    return tuple(e for e in told if not (buffer.is_notebook and e.code == SkippedFile.code))
