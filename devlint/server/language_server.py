"""The server: what is open in the editor, and when it is looked at."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from itertools import filterfalse
from typing import TypeVar

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from devlint.lower.limits import allow_recursion
from devlint.server.actions import Actions
from devlint.server.analysis import MISCONFIGURED, Analysis, Analyst
from devlint.server.buffer import Buffer, buffer, path_of, saved
from devlint.server.capabilities import Capabilities
from devlint.server.client_settings import ClientSettings
from devlint.server.diagnostics import Places
from devlint.server.hover import Pointer, hover
from devlint.server.inlay_hints import inlay_hints
from devlint.server.workspace_lint import WorkspaceLint
from devlint.settings import ConfigurationError

T = TypeVar("T")
#: Seconds without a keystroke before a text is looked at.
PAUSE = 0.2
#: Bytes of stack for frames up to the limit of recursion.
STACK = 256 * 1024 * 1024
CELLS = types.NotebookDocumentSyncOptions(
    [types.NotebookDocumentFilterWithCells([types.NotebookCellLanguage("python")])], save=True
)


class Server(LanguageServer):
    """Analyses in one thread, so that the protocol is answered meanwhile."""

    def __init__(self) -> None:
        super().__init__("devlint", version("devlint"), notebook_document_sync=CELLS)
        allow_recursion()
        threading.stack_size(STACK)
        self.worker = ThreadPoolExecutor(1, "devlint")
        self.turn = asyncio.Lock()
        self.analyst = Analyst()
        #: Of each file, its last analysis and the one that is due.
        self.analyses: dict[str, Analysis] = {}
        self.due: dict[str, asyncio.Task[None]] = {}
        #: Of each text, what was last said of it.
        self.told: dict[str, list[types.Diagnostic]] = {}
        #: The texts that are to be looked at only once they are saved.
        self.unsaved: set[str] = set()
        #: Of each file, its last inlay hints by its texts, and what they were of.
        self.hints: dict[str, tuple[Analysis, Mapping[str, Sequence[types.InlayHint]]]] = {}
        self.lint = WorkspaceLint()
        #: What was last complained of; it is said once.
        self.complaint: str | None = None

    @property
    def encoding(self) -> str | None:
        return self.workspace.position_encoding

    @property
    def able(self) -> Capabilities:
        """What the editor can do."""
        return Capabilities(self.client_capabilities)

    @property
    def settings(self) -> ClientSettings:
        return self.analyst.settings

    def configure(self, told: object) -> None:
        """Follow what the editor sets, unless that cannot be followed."""
        try:
            self.analyst.settings = ClientSettings.of(told)
        except ConfigurationError as error:
            self.complain(str(error.args[0]))

    async def working(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self.worker, work)

    def texts(self) -> dict[str, bytes]:
        """Those that are open of files, by the paths of these."""
        open_ = [e for uri, e in self.workspace.text_documents.items() if uri.startswith("file:")]
        return {path_of(each.uri): saved(each.source) for each in open_}

    async def analysis(self, uri: str) -> Analysis:
        """Of the text as it is when its turn comes: who asked before for what has changed since
        gets the same, so that fast typing leaves no queue behind."""
        async with self.turn:
            return await self._analysis(buffer(self.workspace, uri))

    async def _analysis(self, open_: Buffer) -> Analysis:
        kept, texts = self.analyses, self.texts()
        known = kept.get(open_.uri)
        one = await self.working(lambda: self.analyst.analysed(open_, texts, known))
        one = kept[open_.uri] = one if one is known else self.lint.completed(one)
        self.complain(one.complaint)
        return one

    async def hints_of(self, uri: str) -> Sequence[types.InlayHint]:
        """The inlay hints of a text; an editor asks for those of each screen by itself."""
        if not self.settings.inlay_hints:
            return ()
        async with self.turn:
            one = await self._analysis(buffer(self.workspace, uri))
            known = self.hints.get(one.buffer.uri)
            if known is None or known[0] is not one:
                found = await self.working(lambda: self._inlay_hints(one))
                known = self.hints[one.buffer.uri] = one, found
            return known[1].get(uri, ())

    def _inlay_hints(self, one: Analysis) -> Mapping[str, Sequence[types.InlayHint]]:
        try:
            return inlay_hints(one, self.encoding, self.analyst.vocabulary(one))
        except MISCONFIGURED:  # That has been complained of.
            return {}

    async def hover_at(self, uri: str, position: types.Position) -> str:
        """What is known of a place, in Markdown."""
        async with self.turn:
            one = await self._analysis(buffer(self.workspace, uri))
            pointer = Pointer(one, uri, position, self.encoding)
            return await self.working(lambda: self._hover(pointer))

    def _hover(self, pointer: Pointer) -> str:
        try:
            return hover(pointer, self.analyst.vocabulary(pointer.analysis))
        except MISCONFIGURED:
            return ""

    def complain(self, complaint: str | None) -> None:
        if complaint is not None and complaint != self.complaint:
            self.say(complaint, types.MessageType.Error)
        self.complaint = complaint

    def say(self, message: str, kind: types.MessageType = types.MessageType.Info) -> None:
        self.window_show_message(types.ShowMessageParams(kind, f"devlint: {message}"))

    def reconfigured(self) -> None:
        """Look at everything again: a configuration has changed."""
        self.analyses = {}  # What is at work now was asked for before: it goes with the others.
        if self.able.refreshes_hints:
            self.workspace_inlay_hint_refresh(None)
        if self.able.refreshes_lenses:
            self.workspace_code_lens_refresh(None)
        self.renew()

    def renew(self) -> None:
        """Look again at what is open, where something has changed that it uses."""
        if self.able.refreshes_diagnostics:
            self.workspace_diagnostic_refresh(None)
        for uri in self.opened - self.unsaved:
            self.changed(uri, 0)

    @property
    def opened(self) -> set[str]:
        """As the editor writes them: pygls knows them by what they are without escapes."""
        texts = self.workspace.text_documents.values()
        return {each.uri for each in (*texts, *self.workspace.notebook_documents.values())}

    def opened_anew(self, uri: str, *, is_notebook: bool = False) -> None:
        if uri in self.lint.told and (self.able.pulls or is_notebook):
            self.send(uri)  # It is asked for from now on, or its cells are told.
        self.changed(uri, 0)

    def edited(self, uri: str) -> None:
        if self.settings.lint_on == "save":
            self.unsaved.add(uri)
        else:
            self.changed(uri)

    def saved(self, uri: str) -> None:
        """A text was saved: others may use it, and it may be that a configuration file was, which
        not all editors tell of."""
        self.unsaved.discard(uri)
        if self.able.tells_of_files:
            self.renew()
        else:
            self.reconfigured()

    def changed(self, uri: str, pause: float = PAUSE) -> None:
        """A text was opened, changed or saved: look at it, unless it changes again."""
        whole = buffer(self.workspace, uri)
        if self.able.pulls and not whole.is_notebook:
            return
        if waiting := self.due.pop(whole.uri, None):
            waiting.cancel()
        self.due[whole.uri] = asyncio.create_task(self.publish(whole.uri, pause))

    async def publish(self, uri: str, pause: float) -> None:
        await asyncio.sleep(pause)
        analysis = await self.analysis(uri)
        if buffer(self.workspace, uri) != analysis.buffer:
            return
        versions = {part.uri: part.version for part in analysis.buffer.parts}
        self.tell(analysis)
        for part, number in versions.items():
            self.send(part, self.told.get(part, ()), number)

    def send(
        self, uri: str, told: Sequence[types.Diagnostic] = (), number: int | None = None
    ) -> None:
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, [*told], number))

    def tell(self, analysis: Analysis) -> None:
        """Renew what is said, unless the text is too broken to say anything new."""
        if analysis.findings is not None:
            self.told |= Places(analysis, self.encoding).diagnostics()

    async def diagnostics(self, uri: str) -> Sequence[types.Diagnostic]:
        """What there is to say of a text, asked for by the editor. The cells of a notebook are told
        without being asked, all at once."""
        if uri not in self.unsaved or uri not in self.told:
            analysis = await self.analysis(uri)
            if analysis.buffer.is_notebook:
                return ()
            self.tell(analysis)
        return self.told.get(uri, ())

    def closed(self, uri: str, parts: Sequence[str]) -> None:
        """Forget a file, and what was said of it."""
        if (one := self.analyses.pop(uri, None)) is not None:
            self.analyst.forget(one.buffer.path)
        self.hints.pop(uri, None)
        self.unsaved -= {uri, *parts}
        if waiting := self.due.pop(uri, None):
            waiting.cancel()
        self.forget(parts)

    def forget(self, parts: Sequence[str]) -> None:
        """Take back what was said of texts, but for what a look at all files has found."""
        for part in parts:
            self.told.pop(part, None)
            self.send(part, self.lint.told.get(part, ()))

    def actions(self, analysis: Analysis) -> Actions:
        return Actions(analysis, self.encoding, has_changes=self.able.has_changes)

    async def lint_workspace(self) -> dict[str, int]:
        """Look at all files, and say what is found in those that are not open."""
        found = await self.lint.run(self.settings)
        for complaint in found.complaints:
            self.say(complaint, types.MessageType.Warning)
        is_open = self.opened.__contains__
        for uri in filterfalse(is_open, self.lint.renew(found.findings, self.encoding)):
            self.send(uri, self.lint.told.get(uri, ()))
        self.reconfigured()
        return {"files": found.files, "findings": len(found.findings)}

    def go(self) -> None:
        """Go where the project is."""
        if (root := self.workspace.root_path) and os.path.isdir(root):
            os.chdir(root)
