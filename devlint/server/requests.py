"""What an editor asks and tells, each answered by the server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lsprotocol import types

from devlint.server.actions import FIX_ALL, QUICK
from devlint.server.code_lenses import code_lenses
from devlint.server.language_server import Server
from devlint.settings.file import NAMES

#: The section that the settings of the editor stand in.
SECTION = "devlint"
LINT_WORKSPACE = "devlint.lintWorkspace"
#: Of which files the editor is asked to tell when they change on disk.
WATCHED = (*NAMES, "*.py")


def server() -> Server:
    """A server that knows every request it answers."""
    one = Server()
    one.feature(types.INITIALIZE)(initialize)
    one.feature(types.INITIALIZED)(initialized)
    one.feature(types.SHUTDOWN)(shut_down)
    one.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)(settings_changed)
    one.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)(files_changed)
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
        types.DiagnosticOptions(True, False, identifier="devlint"),
    )(diagnostics)
    one.feature(types.TEXT_DOCUMENT_HOVER)(hovered)
    one.feature(types.TEXT_DOCUMENT_INLAY_HINT)(hinted)
    one.feature(types.TEXT_DOCUMENT_CODE_LENS)(lenses)
    one.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions([QUICK, FIX_ALL]))(actions)
    one.command(LINT_WORKSPACE)(workspace_linted)
    return one


async def initialize(server: Server, params: types.InitializeParams) -> None:
    server.configure(params.initialization_options)


async def initialized(server: Server, params: types.InitializedParams) -> None:
    """Go where the project is, and ask to hear of what changes, if the editor can tell."""
    server.go()
    wanted = []
    if server.able.tells_of_files:
        watchers = [types.FileSystemWatcher(f"**/{name}") for name in WATCHED]
        options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
        method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
        wanted.append(types.Registration("devlint-files", method, options))
    if server.able.tells_of_settings:
        section = types.DidChangeConfigurationRegistrationOptions(SECTION)
        method = types.WORKSPACE_DID_CHANGE_CONFIGURATION
        wanted.append(types.Registration("devlint-settings", method, section))
    if wanted:
        await server.client_register_capability_async(types.RegistrationParams(wanted))


async def shut_down(server: Server, params: None) -> None:
    server.lint.end()


async def settings_changed(server: Server, params: types.DidChangeConfigurationParams) -> None:
    """Editors tell the settings, or that they can be asked for."""
    told = params.settings
    section = told.get(SECTION) if isinstance(told, Mapping) else None
    if section is None and server.able.has_settings:
        asked = types.ConfigurationParams([types.ConfigurationItem(section=SECTION)])
        [section] = await server.workspace_configuration_async(asked)
    server.configure(section)
    server.reconfigured()


async def files_changed(server: Server, params: types.DidChangeWatchedFilesParams) -> None:
    if any(each.uri.endswith(NAMES) for each in params.changes):
        server.reconfigured()
    else:
        server.renew()


async def opened(server: Server, params: types.DidOpenTextDocumentParams) -> None:
    server.opened_anew(params.text_document.uri)


async def edited(server: Server, params: types.DidChangeTextDocumentParams) -> None:
    server.edited(params.text_document.uri)


async def saved(server: Server, params: types.DidSaveTextDocumentParams) -> None:
    server.saved(params.text_document.uri)


async def closed(server: Server, params: types.DidCloseTextDocumentParams) -> None:
    server.closed(params.text_document.uri, [params.text_document.uri])


async def notebook_opened(server: Server, params: types.DidOpenNotebookDocumentParams) -> None:
    server.opened_anew(params.notebook_document.uri, is_notebook=True)


async def notebook_edited(server: Server, params: types.DidChangeNotebookDocumentParams) -> None:
    cells = params.change.cells
    structure = cells.structure if cells is not None else None
    gone = structure.did_close if structure is not None else None
    server.forget([each.uri for each in gone or ()])
    server.edited(params.notebook_document.uri)


async def notebook_saved(server: Server, params: types.DidSaveNotebookDocumentParams) -> None:
    server.saved(params.notebook_document.uri)


async def notebook_closed(server: Server, params: types.DidCloseNotebookDocumentParams) -> None:
    cells = [cell.uri for cell in params.cell_text_documents]
    server.closed(params.notebook_document.uri, [params.notebook_document.uri, *cells])


async def diagnostics(
    server: Server, params: types.DocumentDiagnosticParams
) -> types.DocumentDiagnosticReport:
    found = await server.diagnostics(params.text_document.uri)
    return types.RelatedFullDocumentDiagnosticReport([*found])


async def hovered(server: Server, params: types.HoverParams) -> types.Hover | None:
    text = await server.hover_at(params.text_document.uri, params.position)
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text)) if text else None


async def hinted(server: Server, params: types.InlayHintParams) -> list[types.InlayHint]:
    first, last = params.range.start.line, params.range.end.line
    found = await server.hints_of(params.text_document.uri)
    return [each for each in found if first <= each.position.line <= last]


async def lenses(server: Server, params: types.CodeLensParams) -> list[types.CodeLens]:
    if not server.settings.code_lens:
        return []
    return [*code_lenses(await server.analysis(params.text_document.uri))]


async def actions(server: Server, params: types.CodeActionParams) -> list[types.CodeAction]:
    uri, wanted = params.text_document.uri, params.context.only
    analysis = await server.analysis(uri)
    of_file = server.actions(analysis)
    found = [*of_file.at(uri, params.range)] if asks_for(wanted, QUICK.value) else []
    if asks_for(wanted, FIX_ALL) and any(each.fix for each in of_file.findings):
        texts = await server.working(lambda: server.analyst.fixed(analysis))
        found += filter(None, [of_file.all(texts)])
    return found


def asks_for(wanted: Sequence[str] | None, kind: str) -> bool:
    """Whether an editor wants actions of a kind: it names the kind, one above it, or none."""
    return not wanted or any(f"{kind}.".startswith(f"{each}.") for each in wanted)


async def workspace_linted(server: Server) -> dict[str, int]:
    """Look at all files, and say what is found in those that are not open."""
    return await server.lint_workspace()
