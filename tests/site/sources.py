"""What the site is made of: documents of the repository, and pages made of its code."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.documents import ROOT
from tests.site.command_page import command_page
from tests.site.links import moved
from tests.site.option_page import option_page
from tests.site.rule_index import rule_index
from tests.site.rule_page import RULES, rule_page

CONTENTS = "tests/site/contents.md"
#: What the site calls the documents that are not in `docs`.
ELSEWHERE = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "devlint/README.md": "architecture.md",
    "devlint/confirm/README.md": "emulation.md",
    "editors/vscode/README.md": "vscode.md",
    "rules/README.md": "rule-packs.md",
}


def names() -> dict[str, str]:
    """What the site calls each document and picture of the repository."""
    docs = ROOT / "docs"
    found = [*docs.glob("*.md"), *docs.glob("images/*.svg")]
    return ELSEWHERE | {
        path.relative_to(ROOT).as_posix(): path.relative_to(docs).as_posix() for path in found
    }


def sources(files: str = "") -> dict[str, bytes]:
    """The files that Sphinx reads; `files` is where the repository's others are to be seen."""
    known = names()
    texts = {
        known[name]: moved((ROOT / name).read_text(encoding="utf-8"), name, known, files)
        for name in known
        if name.endswith(".md")
    }
    texts["index.md"] += (ROOT / CONTENTS).read_text(encoding="utf-8")
    pictures = {
        known[name]: (ROOT / name).read_bytes() for name in known if known[name] not in texts
    }
    return {name: text.encode() for name, text in (texts | made()).items()} | pictures


def made() -> dict[str, str]:
    """The pages that are in no file."""
    pages = {"rules/index.md": rule_index(), "options.md": option_page()}
    pages["commands.md"] = command_page()
    return pages | {f"rules/{rule.code}/index.md": rule_page(rule) for rule in RULES}


def write(sources: Mapping[str, bytes], folder: Path) -> None:
    """Have these files in the folder, and no others; what has not changed is not written."""
    for path in [*folder.rglob("*")]:
        if path.is_file() and path.relative_to(folder).as_posix() not in sources:
            path.unlink()
    for name, content in sources.items():
        path = folder / name
        if not path.is_file() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
