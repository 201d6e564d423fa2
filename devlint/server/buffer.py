"""What an editor has open, as the file that it would save."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass

from lsprotocol import types
from pygls.uris import to_fs_path
from pygls.workspace import Workspace

from devlint.document.reader import NOTEBOOK
from devlint.text.source_text import UndecodableError, decode, encoding_of

PYTHON = {"language_info": {"name": "python"}}


@dataclass(frozen=True, slots=True)
class Part:
    """A text of the editor: a file, or a cell of a notebook."""

    uri: str
    version: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Buffer:
    """A file, or a notebook with a part for each cell, under the URI of the whole."""

    uri: str
    path: str
    parts: tuple[Part, ...]
    is_notebook: bool = False

    def part(self, cell: int | None) -> Part:
        return self.parts[(cell or 1) - 1]

    @property
    def data(self) -> bytes:
        """The file as it would be saved. Whether a cell is of Python its editor has said."""
        if not self.is_notebook:
            return saved(self.parts[0].text)
        listed = [{"cell_type": "code", "source": part.text} for part in self.parts]
        return json.dumps({"cells": listed, "metadata": PYTHON}).encode()

    def texts(self, data: bytes) -> tuple[str, ...]:
        """The texts of the parts in another state of the file."""
        if self.is_notebook:
            return tuple("".join(cell["source"]) for cell in json.loads(data)["cells"])
        return (decode(data),)


def buffer(workspace: Workspace, uri: str) -> Buffer:
    """What the text or cell of this URI belongs to."""
    notebook = workspace.get_notebook_document(notebook_uri=uri) or workspace.get_notebook_document(
        cell_uri=uri
    )
    return script(workspace, uri) if notebook is None else cells(workspace, notebook)


def script(workspace: Workspace, uri: str) -> Buffer:
    path = path_of(uri)
    # JupyterLab sends the code cells of a notebook as one Python text under the notebook's name.
    path += ".py" if path.endswith(NOTEBOOK) else ""
    return Buffer(uri, path, (part(workspace, uri),))


def cells(workspace: Workspace, notebook: types.NotebookDocument) -> Buffer:
    path = path_of(notebook.uri)
    path += "" if path.endswith(NOTEBOOK) else NOTEBOOK
    code = [each for each in notebook.cells if each.kind == types.NotebookCellKind.Code]
    parts = tuple(part(workspace, each.document) for each in code)
    return Buffer(notebook.uri, path, parts, is_notebook=True)


def part(workspace: Workspace, uri: str) -> Part:
    text = workspace.get_text_document(uri)
    try:
        return Part(uri, text.version, text.source)
    except (OSError, UnicodeDecodeError):
        # It was closed or renamed before its turn came, and is no longer on disk.
        return Part(uri, text.version, "")


def path_of(uri: str) -> str:
    """The file that a URI names; what was never saved is called by the end of its URI."""
    if uri.startswith("file:"):
        # JupyterLab puts the texts that it sends into a folder which is not there.
        return (to_fs_path(uri) or uri).replace(f"{os.sep}.virtual_documents{os.sep}", os.sep)
    return uri.rsplit("/", 1)[-1].rsplit(":", 1)[-1] or "untitled"


def saved(text: str) -> bytes:
    """The bytes of a text by its own coding comment, as an editor would save it."""
    data = text.encode("utf-8", "surrogatepass")
    try:
        return text.encode(encoding_of(data))
    except (UndecodableError, UnicodeEncodeError):
        return data
