"""The plan of each file of a run."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from devlint.files.path_globs import Globs
from devlint.project.project import Project
from devlint.rule.registry import UnknownRuleError, load_rules, matching
from devlint.rule.self_reports import FAULTS
from devlint.run.plan import Plan
from devlint.settings import Configuration, ConfigurationError, Glob
from devlint.settings.configuration import Scope


class Plans:
    """One plan for all files with the same settings and the same rules ignored."""

    def __init__(self, configuration: Configuration, project: Project | None = None) -> None:
        self.configuration = configuration
        self.project = project
        self.known = load_rules()
        self._plans: dict[tuple[Scope, tuple[str, ...]], Plan] = {}
        self._ignores: dict[Scope, IgnoresOfFiles] = {}
        # What is wrong with the choice of rules is said before any file is read.
        self._of(configuration.scope(os.getcwd()), ())

    @property
    def packs(self) -> tuple[str, ...]:
        """The folders of the rule packs."""
        names = dict.fromkeys(each.__module__.partition(".")[0] for each in self.known)
        packs = (sys.modules[name] for name in names)
        return tuple(folder for pack in packs for folder in getattr(pack, "__path__", ()))

    def plan(self, path: str) -> Plan:
        absolute = os.path.abspath(path)
        scope = self.configuration.scope(os.path.dirname(absolute))
        if (ignores := self._ignores.get(scope)) is None:
            ignores = IgnoresOfFiles(scope.settings.per_file_ignores)
            self._ignores[scope] = ignores
        return self._of(scope, ignores.rules(absolute))

    def _of(self, scope: Scope, ignored: tuple[str, ...]) -> Plan:
        """The plan of the files in a scope in which these rules are ignored as well."""
        if (known := self._plans.get((scope, ignored))) is None:
            known = self._plans[scope, ignored] = self._new(scope, ignored)
        return known

    def _new(self, scope: Scope, ignored: tuple[str, ...]) -> Plan:
        settings = replace(scope.settings, ignore=(*scope.settings.ignore, *ignored))
        try:
            for _, rules in settings.per_file_ignores:
                matching([*self.known, *FAULTS], rules)
            plan = Plan.of(settings, self.known)
            return replace(plan, project=self.project) if settings.follow_imports else plan
        except UnknownRuleError as error:
            if (origin := scope.origin(error.selector)) is None:
                raise
            raise ConfigurationError(f"{origin}: {error.args[0]}") from error


class IgnoresOfFiles:
    """Which rules `per-file-ignores` ignores where."""

    def __init__(self, ignores: Sequence[tuple[Glob, tuple[str, ...]]]) -> None:
        self._ignores = [
            (glob.pattern.startswith("!"), Globs((unnegated(glob),)), rules)
            for glob, rules in ignores
        ]

    def rules(self, path: str) -> tuple[str, ...]:
        """What is ignored in the file with this absolute path."""
        return tuple(
            rule
            for is_negated, globs, rules in self._ignores
            if globs.cover(path) is not is_negated
            for rule in rules
        )


def unmatched(paths: Iterable[str], configuration: Configuration) -> Iterator[str]:
    """Notes on globs of `per-file-ignores` that fit none of the files that were checked."""
    absolute = [os.path.abspath(each) for each in paths]
    globs = (glob for each in configuration.scopes for glob, _ in each.settings.per_file_ignores)
    for glob in dict.fromkeys(globs):
        if not any(map(Globs((unnegated(glob),)).cover, absolute)):
            yield f"note: per-file-ignores: none of the files checked matches '{glob.pattern}'"


def unnegated(glob: Glob) -> Glob:
    return Glob(glob.pattern.removeprefix("!"), glob.folder)
