"""What an editor can do, by what it says of itself."""

from __future__ import annotations

from lsprotocol import types


class Capabilities:
    def __init__(self, told: types.ClientCapabilities) -> None:
        self._texts = told.text_document or types.TextDocumentClientCapabilities()
        self._workspace = told.workspace or types.WorkspaceClientCapabilities()

    @property
    def tells_of_files(self) -> bool:
        """Whether it can be asked to tell of files that change."""
        files = self._workspace.did_change_watched_files
        return files is not None and bool(files.dynamic_registration)

    @property
    def tells_of_settings(self) -> bool:
        """Whether it can be asked to tell of its settings when they change."""
        settings = self._workspace.did_change_configuration
        return settings is not None and bool(settings.dynamic_registration)

    @property
    def has_settings(self) -> bool:
        """Whether it can be asked for its settings."""
        return bool(self._workspace.configuration)

    @property
    def pulls(self) -> bool:
        """Whether it asks for diagnostics; else they are sent."""
        return self._texts.diagnostic is not None

    @property
    def refreshes_diagnostics(self) -> bool:
        """Whether it can be told to ask for diagnostics again."""
        told = self._workspace.diagnostics
        return self.pulls and told is not None and bool(told.refresh_support)

    @property
    def refreshes_hints(self) -> bool:
        told = self._workspace.inlay_hint
        return told is not None and bool(told.refresh_support)

    @property
    def refreshes_lenses(self) -> bool:
        told = self._workspace.code_lens
        return told is not None and bool(told.refresh_support)

    @property
    def has_changes(self) -> bool:
        """Whether it knows edits of a version of a text."""
        edit = self._workspace.workspace_edit
        return edit is not None and bool(edit.document_changes)
