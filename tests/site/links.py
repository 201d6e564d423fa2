"""Links of a document of the repository, as they are on the site."""

from __future__ import annotations

import re
from collections.abc import Mapping
from posixpath import dirname, join, normpath, relpath

from tests.documents import ROOT

FENCED = re.compile(r"(^(`{3,}).*?^\2$)", re.M | re.S)
LINK = re.compile(
    r"(?P<image>!?)\[(?P<text>[^\]]*)\]\((?P<target>[^)\s#:]+)(?P<anchor>#[^)\s]*)?\)"
)


def moved(text: str, document: str, names: Mapping[str, str], files: str) -> str:
    """The document with its links to other files as the site has them.

    `names` has what the site calls its files. Of others the text of a link is left, or they are
    looked for below the address `files`.
    """

    def on_site(link: re.Match[str]) -> str:
        target = normpath(join(dirname(document), link["target"]))
        label = f"{link['image']}[{link['text']}]"
        if target in names:
            path = relpath(names[target], dirname(names[document]) or ".")
            return f"{label}({path}{link['anchor'] or ''})"
        if not (ROOT / target).exists():
            return link[0]
        return f"{label}({join(files, target)})" if files else link["text"]

    parts = FENCED.split(text)
    # Each fence is split into itself and its backticks.
    return "".join(
        part if index % 3 else LINK.sub(on_site, part)
        for index, part in enumerate(parts)
        if index % 3 != 2
    )
