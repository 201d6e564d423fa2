"""The server: what an editor asks, and when an answer is worked out."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from typing import TypeVar

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from devlint.lower.limits import allow_recursion
from devlint.server.actions import FIX_ALL, QUICK, Actions
from devlint.server.analysis import Analysis, analysed, fixed
from devlint.server.buffer import Buffer, buffer
from devlint.server.diagnostics import Places
from devlint.server.hover import hover
from devlint.server.inlay_hints import inlay_hints
from devlint.settings.file import NAMES

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
        #: Of each file, its last analysis and the one that is due.
        self.analyses: dict[str, Analysis] = {}
        self.due: dict[str, asyncio.Task[None]] = {}
        #: Of each text, what was last said of it.
        self.told: dict[str, list[types.Diagnostic]] = {}
        #: Of each file, its last inlay hints by its texts, and what they were of.
        self.hints: dict[str, tuple[Buffer, Mapping[str, Sequence[types.InlayHint]]]] = {}
        self.has_hints = False
        #: What was last complained of; it is said once.
        self.complaint: str | None = None

    @property
    def encoding(self) -> str | None:
        return self.workspace.position_encoding

    @property
    def is_told_of_files(self) -> bool:
        """Whether the editor can be asked to tell of files that change."""
        workspace = self.client_capabilities.workspace
        files = workspace.did_change_watched_files if workspace is not None else None
        return files is not None and bool(files.dynamic_registration)

    @property
    def is_pulled(self) -> bool:
        """Whether the editor asks for diagnostics; else they are sent."""
        texts = self.client_capabilities.text_document
        return texts is not None and texts.diagnostic is not None

    async def working(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self.worker, work)

    async def analysis(self, uri: str) -> Analysis:
        """Of the text as it is when its turn comes: who asked before for what has changed since
        gets the same, so that fast typing leaves no queue behind."""
        async with self.turn:
            open_ = buffer(self.workspace, uri)
            known = self.analyses.get(open_.uri)
            if known is None or known.buffer != open_:
                known = self.analyses[open_.uri] = await self.working(lambda: analysed(open_))
                self.complain(known.complaint)
            return known

    async def hints_of(self, uri: str) -> Sequence[types.InlayHint]:
        """The inlay hints of a text; an editor asks for those of each screen by itself."""
        if not self.has_hints:
            return ()
        async with self.turn:
            open_ = buffer(self.workspace, uri)
            known = self.hints.get(open_.uri)
            if known is None or known[0] != open_:
                found = await self.working(lambda: inlay_hints(open_, self.encoding))
                known = self.hints[open_.uri] = open_, found
            return known[1].get(uri, ())

    def complain(self, complaint: str | None) -> None:
        if complaint is not None and complaint != self.complaint:
            message = f"devlint: {complaint}"
            self.window_show_message(types.ShowMessageParams(types.MessageType.Error, message))
        self.complaint = complaint

    def saved(self, uri: str) -> None:
        """A text was saved; it may be that a configuration file was, which not all tell of."""
        if self.is_told_of_files:
            self.changed(uri, 0)
        else:
            self.reconfigured()

    def reconfigured(self) -> None:
        """Look at everything again: a configuration file has changed."""
        self.analyses.clear()
        self.hints.clear()
        workspace = self.client_capabilities.workspace
        if self.is_pulled and workspace is not None and workspace.diagnostics is not None:
            self.workspace_diagnostic_refresh(None)
        for uri in {*self.workspace.text_documents, *self.workspace.notebook_documents}:
            self.changed(uri, 0)

    def changed(self, uri: str, pause: float = PAUSE) -> None:
        """A text was opened, changed or saved: look at it, unless it changes again."""
        whole = buffer(self.workspace, uri)
        if self.is_pulled and not whole.is_notebook:
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
            self.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(part, self.told.get(part, []), number)
            )

    def tell(self, analysis: Analysis) -> None:
        """Renew what is said, unless the text is too broken to say anything new."""
        if analysis.findings is not None:
            self.told |= Places(analysis, self.encoding).diagnostics()

    def closed(self, uri: str, parts: list[str]) -> None:
        """Forget a file, and what was said of it."""
        self.analyses.pop(uri, None)
        self.hints.pop(uri, None)
        if waiting := self.due.pop(uri, None):
            waiting.cancel()
        self.forget(parts)

    def forget(self, parts: Sequence[str]) -> None:
        """Take back what was said of texts."""
        for part in parts:
            self.told.pop(part, None)
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(part, []))

    def actions(self, analysis: Analysis) -> Actions:
        edits = self.client_capabilities.workspace
        edit = edits.workspace_edit if edits is not None else None
        has_changes = edit is not None and bool(edit.document_changes)
        return Actions(analysis, self.encoding, has_changes=has_changes)


def server() -> Server:
    """A server that knows every request it answers."""
    one = Server()
    one.feature(types.INITIALIZE)(initialize)
    one.feature(types.INITIALIZED)(initialized)
    one.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)(configuration_changed)
    one.feature(types.TEXT_DOCUMENT_DID_OPEN)(opened)
    one.feature(types.TEXT_DOCUMENT_DID_CHANGE)(edited)
    one.feature(types.TEXT_DOCUMENT_DID_SAVE)(saved)
    one.feature(types.TEXT_DOCUMENT_DID_CLOSE)(closed)
    one.feature(types.NOTEBOOK_DOCUMENT_DID_OPEN)(notebook_opened)
    one.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)(notebook_edited)
    one.feature(types.NOTEBOOK_DOCUMENT_DID_SAVE)(notebook_saved)
    one.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)(notebook_closed)
    one.feature(
        types.TEXT_DOCUMENT_DIAGNOSTIC,
        types.DiagnosticOptions(False, False, identifier="devlint"),
    )(diagnostics)
    one.feature(types.TEXT_DOCUMENT_HOVER)(hovered)
    one.feature(types.TEXT_DOCUMENT_INLAY_HINT)(hinted)
    one.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions([QUICK, FIX_ALL]))(actions)
    return one


async def initialize(server: Server, params: types.InitializeParams) -> None:
    options = params.initialization_options
    server.has_hints = isinstance(options, Mapping) and options.get("inlayHints") is True


async def initialized(server: Server, params: types.InitializedParams) -> None:
    """Go where the project is, and ask to hear of configuration files, if the editor can tell."""
    if (root := server.workspace.root_path) and os.path.isdir(root):
        os.chdir(root)
    if server.is_told_of_files:
        watchers = [types.FileSystemWatcher(f"**/{name}") for name in NAMES]
        options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
        method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
        await server.client_register_capability_async(
            types.RegistrationParams([types.Registration("devlint-files", method, options)])
        )


async def configuration_changed(server: Server, params: types.DidChangeWatchedFilesParams) -> None:
    server.reconfigured()


async def opened(server: Server, params: types.DidOpenTextDocumentParams) -> None:
    server.changed(params.text_document.uri, 0)


async def edited(server: Server, params: types.DidChangeTextDocumentParams) -> None:
    server.changed(params.text_document.uri)


async def saved(server: Server, params: types.DidSaveTextDocumentParams) -> None:
    server.saved(params.text_document.uri)


async def closed(server: Server, params: types.DidCloseTextDocumentParams) -> None:
    server.closed(params.text_document.uri, [params.text_document.uri])


async def notebook_opened(server: Server, params: types.DidOpenNotebookDocumentParams) -> None:
    server.changed(params.notebook_document.uri, 0)


async def notebook_edited(server: Server, params: types.DidChangeNotebookDocumentParams) -> None:
    cells = params.change.cells
    structure = cells.structure if cells is not None else None
    gone = structure.did_close if structure is not None else None
    server.forget([each.uri for each in gone or ()])
    server.changed(params.notebook_document.uri)


async def notebook_saved(server: Server, params: types.DidSaveNotebookDocumentParams) -> None:
    server.saved(params.notebook_document.uri)


async def notebook_closed(server: Server, params: types.DidCloseNotebookDocumentParams) -> None:
    cells = [cell.uri for cell in params.cell_text_documents]
    server.closed(params.notebook_document.uri, cells)


async def diagnostics(
    server: Server, params: types.DocumentDiagnosticParams
) -> types.DocumentDiagnosticReport:
    uri = params.text_document.uri
    analysis = await server.analysis(uri)
    if analysis.buffer.is_notebook:  # Its cells are told without being asked, all at once.
        return types.RelatedFullDocumentDiagnosticReport([])
    server.tell(analysis)
    return types.RelatedFullDocumentDiagnosticReport(server.told.get(uri, []))


async def hovered(server: Server, params: types.HoverParams) -> types.Hover | None:
    uri, encoding = params.text_document.uri, server.encoding
    open_ = buffer(server.workspace, uri)
    text = await server.working(lambda: hover(open_, uri, params.position, encoding))
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text)) if text else None


async def hinted(server: Server, params: types.InlayHintParams) -> list[types.InlayHint]:
    first, last = params.range.start.line, params.range.end.line
    found = await server.hints_of(params.text_document.uri)
    return [each for each in found if first <= each.position.line <= last]


async def actions(server: Server, params: types.CodeActionParams) -> list[types.CodeAction]:
    uri, wanted = params.text_document.uri, params.context.only
    analysis = await server.analysis(uri)
    of_file = server.actions(analysis)
    found = [*of_file.at(uri, params.range)] if asks_for(wanted, QUICK.value) else []
    if asks_for(wanted, FIX_ALL) and any(each.fix for each in of_file.findings):
        texts = await server.working(lambda: fixed(analysis.buffer))
        found += filter(None, [of_file.all(texts)])
    return found


def asks_for(wanted: Sequence[str] | None, kind: str) -> bool:
    """Whether an editor wants actions of a kind: it names the kind, one above it, or none."""
    return not wanted or any(f"{kind}.".startswith(f"{each}.") for each in wanted)
