"""What Sphinx builds the site from: its sources are written first, then codes become links."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx import addnodes

from tests.site.rule_page import MENTION, TARGETS
from tests.site.sources import sources, write

if TYPE_CHECKING:
    from sphinx.application import Sphinx

#: What no code in it is a link of: it is one already, or shows a text as it is.
WITHOUT_LINKS = (nodes.title, nodes.reference, addnodes.pending_xref, nodes.FixedTextElement)


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_config_value("devlint_files", "", "env", str)
    app.connect("config-inited", lay_out)
    app.connect("doctree-read", link_codes)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def lay_out(app: Sphinx, config: Any) -> None:
    """Have Sphinx read what the pages are made into, instead of the folder that it was given."""
    folder = Path(app.doctreedir) / "sources"
    write(sources(config.devlint_files), folder)
    app.srcdir = type(app.srcdir)(folder)


def link_codes(app: Sphinx, doctree: nodes.document) -> None:
    """Make each code of a rule, or of a group of rules, a link to what the site has of it."""
    docname = app.env.docname
    for text in list(doctree.findall(nodes.Text)):
        if not any(isinstance(each, WITHOUT_LINKS) for each in above(text)):
            text.parent.replace(text, list(linked(text, docname)))


def above(node: nodes.Node) -> Iterator[nodes.Node]:
    while (node := node.parent) is not None:
        yield node


def linked(text: str, docname: str) -> Iterator[nodes.Node]:
    for index, part in enumerate(MENTION.split(text)):
        is_link = index % 2 and part in TARGETS and TARGETS[part] != docname
        yield link(part, docname) if is_link else nodes.Text(part)


def link(code: str, docname: str) -> addnodes.pending_xref:
    """A reference to the label of a code."""
    target = {"refdomain": "std", "reftype": "ref", "reftarget": code.lower(), "refdoc": docname}
    return addnodes.pending_xref("", nodes.inline("", code), refexplicit=True, **target)
