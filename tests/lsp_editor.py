"""A client of the language server, for tests."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

from lsprotocol import types
from pytest_lsp import LanguageClient, client_capabilities
from pytest_lsp.client import make_test_lsp_client

HEAD = "import torch\nweights = torch.ones(3, device='cuda')\nmask = torch.ones(3)\n"
MIX = "scaled = weights * mask\n"
#: Editors that ask for diagnostics, and that wait for them.
EDITORS = ("visual_studio_code@1.65.2", "neovim@0.11", "emacs@29.1")


class Editor:
    """A client with texts."""

    def __init__(self, client: LanguageClient, folder: Path) -> None:
        self.client = client
        self.folder = folder

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    def open(self, text: str, name: str = "a.py") -> str:
        uri = self.uri(name)
        item = types.TextDocumentItem(uri, types.LanguageKind.Python, 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return uri

    def open_notebook(self, uri: str, *texts: str) -> None:
        """Its cells are known by their numbers."""
        places = [f"{uri}#{number}" for number in range(len(texts))]
        cells = [types.NotebookCell(types.NotebookCellKind.Code, place) for place in places]
        python = types.LanguageKind.Python
        items = [
            types.TextDocumentItem(p, python, 1, t) for p, t in zip(places, texts, strict=True)
        ]
        notebook = types.NotebookDocument(uri, "jupyter-notebook", 1, cells)
        self.client.notebook_document_did_open(types.DidOpenNotebookDocumentParams(notebook, items))

    def close_notebook(self, uri: str, cells: int) -> None:
        gone = [types.TextDocumentIdentifier(f"{uri}#{number}") for number in range(cells)]
        notebook = types.NotebookDocumentIdentifier(uri)
        self.client.notebook_document_did_close(
            types.DidCloseNotebookDocumentParams(notebook, gone)
        )

    @property
    def pulls(self) -> bool:
        texts = self.client.capabilities and self.client.capabilities.text_document
        return bool(texts and texts.diagnostic)

    def changed(self, uri: str, text: str, version: int) -> types.DidChangeTextDocumentParams:
        return types.DidChangeTextDocumentParams(
            types.VersionedTextDocumentIdentifier(version, uri),
            [types.TextDocumentContentChangeWholeDocument(text)],
        )

    def change(self, uri: str, text: str, version: int = 2) -> None:
        self.client.diagnostics.pop(uri, None)
        self.client.text_document_did_change(self.changed(uri, text, version))

    def save(self, uri: str) -> None:
        self.client.text_document_did_save(
            types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri))
        )

    async def lenses(self, uri: str) -> list[types.CodeLens]:
        params = types.CodeLensParams(types.TextDocumentIdentifier(uri))
        return [*(await self.client.text_document_code_lens_async(params) or ())]

    async def lint(self) -> dict[str, int]:
        found = await self.client.workspace_execute_command_async(
            types.ExecuteCommandParams("devlint.lintWorkspace")
        )
        assert isinstance(found, dict)
        return found

    async def diagnostics(self, uri: str) -> list[types.Diagnostic]:
        """Asked for where the editor can, else waited for."""
        if not self.pulls:
            return await self.sent(uri)
        report = await self.client.text_document_diagnostic_async(
            types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri))
        )
        assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
        return [*report.items]

    async def sent(self, uri: str) -> list[types.Diagnostic]:
        while uri not in self.client.diagnostics:
            await asyncio.sleep(0.01)
        return [*self.client.diagnostics[uri]]

    async def hover(self, uri: str, line: int, character: int) -> str | None:
        found = await self.client.text_document_hover_async(
            types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(line, character))
        )
        if found is None:
            return None
        assert isinstance(found.contents, types.MarkupContent)
        return found.contents.value

    async def hints(self, uri: str, first: int, last: int) -> list[types.InlayHint]:
        whole = types.Range(types.Position(first, 0), types.Position(last, 0))
        params = types.InlayHintParams(types.TextDocumentIdentifier(uri), whole)
        return [*(await self.client.text_document_inlay_hint_async(params) or ())]

    async def actions(self, uri: str, line: int, *only: str) -> list[types.CodeAction]:
        start = types.Position(line, 0)
        found = await self.client.text_document_code_action_async(
            types.CodeActionParams(
                types.TextDocumentIdentifier(uri),
                types.Range(start, types.Position(line + 1, 0)),
                types.CodeActionContext([], [*only] or None),
            )
        )
        return [each for each in found or () if isinstance(each, types.CodeAction)]


def session(
    talk: Callable[[Editor, types.InitializeResult], Awaitable[None]],
    folder: Path,
    name: str = EDITORS[1],
    *,
    encoding: str | None = None,
    options: object = None,
) -> None:
    """Talk to a server of its own as an editor of this name."""

    async def main() -> None:
        client = make_test_lsp_client()
        await client.start_io(sys.executable, "-m", "devlint", "server")
        able = client_capabilities(name)
        kinds = [types.PositionEncodingKind(encoding)] if encoding else None
        able.general = types.GeneralClientCapabilities(position_encodings=kinds)
        params = types.InitializeParams(able, root_uri=folder.as_uri())
        params.initialization_options = options
        told = await client.initialize_session(params)
        try:
            await talk(Editor(client, folder), told)
        finally:
            await client.shutdown_session()
            await client.stop()  # type: ignore[no-untyped-call]

    asyncio.run(asyncio.wait_for(main(), 60))
