"""The whole project, looked at by a process of its own, so that what is open is answered
meanwhile."""

from __future__ import annotations

import asyncio
import os
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, NamedTuple

from lsprotocol import types

from devlint.finding import Finding
from devlint.server.analysis import MISCONFIGURED, Analysis
from devlint.server.client_settings import ClientSettings
from devlint.server.diagnostics import diagnostic, elsewhere, uri_of
from devlint.text.reading import content

if TYPE_CHECKING:
    from multiprocessing.context import SpawnProcess


class Linted(NamedTuple):
    """How many files were looked at, what was found in them, and what could not be done."""

    files: int
    findings: Sequence[Finding] = ()
    complaints: Sequence[str] = ()


class WorkspaceLint:
    """One run at a time; what it found is taken back when there is a later one."""

    def __init__(self) -> None:
        self._process: SpawnProcess | None = None
        #: What it has found in files, each with what that held.
        self._found: dict[str, tuple[bytes, list[Finding]]] = {}
        #: What is to be said of files as long as they are not open.
        self.told: dict[str, list[types.Diagnostic]] = {}

    async def run(self, settings: ClientSettings) -> Linted:
        """What is found below the working directory. A run that was under way ends, with nothing
        found."""
        self.end()
        context = get_context("spawn")
        here, there = context.Pipe(duplex=False)
        self._process = context.Process(target=lint, args=(settings, there))
        self._process.start()
        there.close()
        return await asyncio.to_thread(received, here)

    def end(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process = None

    def renew(self, found: Sequence[Finding], encoding: str | None) -> set[str]:
        """Take what was found for what is to be said; those of which something else was said before
        are given."""
        before, now = self.told, defaultdict[str, list[types.Diagnostic]](list)
        self._found = {}
        for each in found:
            path = os.path.abspath(each.path)
            self._found.setdefault(path, (content(path), []))[1].append(each)
            now[uri_of(path)].append(diagnostic(each, lambda place: elsewhere(place, encoding)))
        self.told = dict(now)
        return {uri for uri in {*before, *now} if before.get(uri) != now.get(uri)}

    def completed(self, one: Analysis) -> Analysis:
        """An analysis, with what only a look at the whole project has found in the same text."""
        data, found = self._found.get(os.path.abspath(one.buffer.path), (b"", []))
        if one.findings is None or one.buffer.is_notebook or one.buffer.data != data:
            return one
        known = {(each.code, each.span) for each in one.findings}
        more = (each for each in found if (each.code, each.span) not in known)
        named = (replace(each, path=one.buffer.path) for each in more)
        return replace(one, findings=(*one.findings, *named))


def received(here: Connection) -> Linted:
    with here:
        try:
            found = here.recv()
        except EOFError:  # The process has ended, or was ended.
            return Linted(0)
    assert isinstance(found, Linted)
    return found


def lint(settings: ClientSettings, there: Connection) -> None:
    """What the process does."""
    from devlint.run.start import run

    try:
        outcome = run([os.curdir], settings.configuration())
        found = Linted(outcome.files, outcome.findings, outcome.complaints)
    except MISCONFIGURED as error:
        found = Linted(0, (), [str(error.args[0])])
    there.send(found)
