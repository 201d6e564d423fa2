"""Which kind of document a file is."""

from __future__ import annotations

from devlint.document.program import Document

NOTEBOOK = ".ipynb"
#: Suffixes of Markdown and of what is Markdown with code that runs.
MARKDOWN = (".md", ".markdown", ".mdx", ".qmd", ".Rmd")


def document(path: str, data: bytes, *, is_whole: bool = False) -> Document:
    """The document of a file, by the suffix of its path; of a notebook that does not mention torch
    nothing is read, unless it is asked for as a `whole`.

    Raises `UndecodableError` where the bytes are no text of that kind.
    """
    if path.endswith(NOTEBOOK):
        from devlint.document.notebook import Notebook

        return Notebook(data, is_whole=is_whole)
    if path.endswith(MARKDOWN):
        from devlint.document.markdown import Markdown

        return Markdown(data)
    from devlint.document.script import Script

    return Script(data)
