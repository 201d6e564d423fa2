"""The site is built without warnings and without a network, and leads everywhere it says."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from devlint.cli import VERBS
from devlint.settings.option import options
from tests.site.build import built
from tests.site.command_page import command_page
from tests.site.links import moved
from tests.site.option_page import option_page
from tests.site.real_cases import real_cases
from tests.site.rule_index import rule_index
from tests.site.rule_page import RULES, rule_page

pytest.importorskip("sphinx")
pytest.importorskip("furo")

#: Attributes of elements that a browser follows without being asked.
LOADED = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src")}
NAMES = {"README.md": "index.md", "docs/ci.md": "ci.md", "rules/README.md": "deep/packs.md"}


class Document(HTMLParser):
    """What a page is called by, leads to and loads."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.is_text = False
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.links_of_text: list[str] = []
        self.loaded: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.is_text = self.is_text or tag == "article"
        for name, value in attrs:
            if name == "id" and value:
                self.ids.add(value)
            elif (tag, name) in LOADED and value:
                self.loaded.append(value)
            elif (tag, name) == ("a", "href") and value:
                self.links.append(value)
                self.links_of_text += [value] * self.is_text

    def handle_endtag(self, tag: str) -> None:
        self.is_text = self.is_text and tag != "article"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="module")
def documents(site: Path) -> dict[Path, Document]:
    return {path: Document(path) for path in sorted(site.rglob("*.html"))}


def test_links_lead_to_pages_and_places_that_there_are(documents: dict[Path, Document]) -> None:
    dead = [
        f"{path.name}: {link}"
        for path, document in documents.items()
        for link in [*document.links, *document.loaded]
        if not leads_somewhere(path, link, documents)
    ]
    assert dead == []


def leads_somewhere(path: Path, link: str, documents: dict[Path, Document]) -> bool:
    """Whether a link within the site does; what is elsewhere is not asked."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return True
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if target not in documents:
        return target.is_file() and not parts.fragment
    return not parts.fragment or unquote(parts.fragment) in documents[target].ids


def test_dead_links_would_be_noticed(documents: dict[Path, Document]) -> None:
    page = next(path for path in documents if path.name == "ci.html")
    assert leads_somewhere(page, "usage.html#fixes", documents)
    assert not leads_somewhere(page, "usage.html#no-such-place", documents)
    assert not leads_somewhere(page, "no-such-page.html", documents)


def test_a_page_loads_nothing_from_elsewhere(documents: dict[Path, Document]) -> None:
    loaded = [each for document in documents.values() for each in document.loaded]
    assert loaded
    assert [each for each in loaded if urlsplit(each).netloc] == []


def test_each_rule_has_a_page_that_the_search_knows(site: Path) -> None:
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    titles = json.loads(index[index.index("{") : index.rindex("}") + 1])["titles"]
    for rule in RULES:
        assert (site / "rules" / rule.code / "index.html").is_file()
        assert f"{rule.code} {rule.name}" in titles


def test_a_code_is_a_link_but_not_in_code_and_not_on_its_own_page(
    site: Path, documents: dict[Path, Document]
) -> None:
    links = documents[site / "rules" / "DEV901" / "index.html"].links_of_text
    assert "../index.html#dev9" in links
    assert len([link for link in links if link.startswith("#dev901")]) == 1  # that of the heading
    assert "rules/DEV705/index.html#dev705" in documents[site / "live-bugs.html"].links_of_text
    text = (site / "index.html").read_text(encoding="utf-8")
    assert '<span class="c1"># noqa: DEV401</span>' in text


def test_the_page_of_a_rule_has_its_fixes_and_real_cases() -> None:
    [head] = [rule for rule in RULES if rule.code == "DEV101"]
    page = rule_page(head)
    assert "- *safe*: move it too: `.to(device)`\n" in page
    assert "- *unsafe: all of its buffers become other tensors*: move" in page
    [case, *_] = [str(case) for case in real_cases() if case.code == "DEV101"]
    assert case in page
    assert "# expect:" not in page


def test_the_page_of_a_rule_names_those_that_speak_of_it() -> None:
    pages = {rule.code: rule_page(rule) for rule in RULES}
    assert "- DEV704 speaks of it, too.\n" in pages["DEV701"]
    assert "- Found in [releases](../../live-bugs.md).\n" in pages["DEV204"]
    assert "live-bugs" not in pages["DEV501"]
    assert "too." not in pages["DEV401"].partition("## More")[2]


def test_real_cases_are_of_rules_and_have_a_commit_each() -> None:
    cases = real_cases()
    assert {case.code for case in cases} <= {rule.code for rule in RULES}
    assert {len(case.commit) for case in cases} == {40}
    assert [case.code for case in cases] == sorted(case.code for case in cases)


def test_all_rules_options_and_commands_are_listed() -> None:
    assert all(f"\n- {rule.code} `{rule.name}`: {rule.summary}" in rule_index() for rule in RULES)
    assert all(f"\n## {option.key}\n" in option_page() for option in options().values())
    assert all(f"Usage: devlint {verb} " in command_page() for verb in VERBS)


@pytest.mark.parametrize(
    ("text", "document", "on_site"),
    [
        ("[a](docs/ci.md#hooks)", "README.md", "[a](ci.md#hooks)"),
        ("[a](../README.md)", "docs/ci.md", "[a](index.md)"),
        ("[a](../README.md)", "rules/README.md", "[a](../index.md)"),
        ("[`a`](../rules/README.md)", "docs/ci.md", "[`a`](deep/packs.md)"),
        ("[a](#here) [b](https://x.org/y.md)", "docs/ci.md", "[a](#here) [b](https://x.org/y.md)"),
        ("[`Makefile`](../Makefile), too", "docs/ci.md", "`Makefile`, too"),
        ("[a](../missing.md)", "docs/ci.md", "[a](../missing.md)"),
        ("```md\n[a](../README.md)\n```\n", "docs/ci.md", "```md\n[a](../README.md)\n```\n"),
    ],
)
def test_links_of_documents_are_those_of_the_site(text: str, document: str, on_site: str) -> None:
    assert moved(text, document, NAMES, "") == on_site


def test_files_without_a_page_are_where_the_site_is_told_that_they_are() -> None:
    told = moved("[a](../Makefile)", "docs/ci.md", NAMES, "https://x.org/files")
    assert told == "[a](https://x.org/files/Makefile)"
