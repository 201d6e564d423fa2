"""The page for people is whole, explains itself, and lets nothing that it shows run."""

from __future__ import annotations

import re
from base64 import b64encode
from collections import Counter
from hashlib import sha256
from html.parser import HTMLParser

import pytest

from devlint.finding import Finding, Related, Span
from devlint.report import Report, steps, writer
from devlint.report.excerpt import excerpts
from devlint.report.markup import markdown, plain, prose
from tests.nasty import FINDINGS, NASTY, PATH, lines, written

#: Elements without an end.
VOID = frozenset(("meta", "input"))


class Page(HTMLParser):
    """The elements of a page, which have to be closed in order."""

    def __init__(self, document: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.count: Counter[str] = Counter()
        self.attributes: list[tuple[str, str | None]] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(document)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.count[tag] += 1
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((self.open[-1] if self.open else "", data))

    def text(self, tag: str) -> str:
        return "".join(data for each, data in self.texts if each == tag)


def check(document: str) -> Page:
    page = Page(document)
    assert page.count["script"] == page.count["style"] == 1
    policy = next(v for _, v in page.attributes if v and v.startswith("default-src"))
    for tag in ("script", "style"):
        digest = b64encode(sha256(page.text(tag).encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    for name, value in page.attributes:
        assert not name.startswith("on")
        assert name not in ("src", "style")
        assert name != "href" or re.fullmatch(r"#[\w-]+", value or "")
    ids = [value for name, value in page.attributes if name == "id"]
    assert len(set(ids)) == len(ids)
    links = {value for name, value in page.attributes if name == "href"}
    assert {link[1:] for link in links if link} <= set(ids)
    assert document.isascii()
    return page


@pytest.mark.parametrize("findings", [FINDINGS, FINDINGS[:1], []], ids=["all", "one", "none"])
def test_page_is_whole_and_asks_for_nothing(findings: list[Finding]) -> None:
    page = check(written("html", findings))
    assert page.count["article"] == len(findings)


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("</article>", ""),
        ("<h1>", "<h1><script>alert(1)</script>"),
        ("<h1>", '<img src="https://example.org/x.png">'),
        ("<h1>", '<h1 onclick="alert(1)">'),
        ('"use strict"', "alert(1)"),
        ('id="findings"', 'id="search"'),
    ],
)
def test_check_refuses_what_is_broken(text: str, broken: str) -> None:
    document = written("html")
    assert text in document
    with pytest.raises((AssertionError, IndexError)):
        check(document.replace(text, broken, 1))


def test_nothing_that_is_shown_is_markup() -> None:
    page = check(written("html"))
    seen = NASTY.translate(dict.fromkeys(map(ord, "\0\x1b\u202e\udc80"), "\ufffd"))
    # The finding's code ends in a mark: the rest of the line is before it.
    assert f"größe = '{seen}'; weights = "[:-10] in page.text("span") + page.text("mark")
    assert "</script><script>alert(2)</script>" in page.text("mark") + page.text("span")
    assert PATH.translate(dict.fromkeys(map(ord, "\x1b\u202e\udcff"), "\ufffd")) in page.text("h2")


def test_evidence_is_told() -> None:
    page = check(written("html"))
    assert "confirmed (emulated CUDA, torch 2.13.0): RuntimeError:" in page.text("p")


def test_rules_of_the_findings_are_explained() -> None:
    page = check(written("html"))
    links = {value for name, value in page.attributes if name == "href"}
    assert "#rule-DEV203" in links
    # A rule of a pack that is not installed has no page.
    assert "#rule-XYZ001" not in links
    assert "Why is this bad?" in page.text("h4")


def test_text_becomes_markup_of_its_own_only() -> None:
    assert plain("<a>\t\x07&") == "&lt;a&gt;\t\ufffd&amp;"
    assert prose("`a<b`\n *not* 2*3*4") == "<code>a&lt;b</code> <em>not</em> 2*3*4"
    page = "One.\n\n## Bad\n\n```python\nx = '<'\n\ny\n```\n\nTwo\nthree.\n"
    assert [*markdown(page)] == [
        "<p>One.</p>",
        "<h4>Bad</h4>",
        '<pre class="example" tabindex="0">x = &#x27;&lt;&#x27;\n\ny</pre>',
        "<p>Two three.</p>",
    ]


CODE = """class Net(nn.Module):
    # how it is made
    def __init__(
        self,
    ):
        a = 1

        b = 2

        c = 3
        d = 4
        e = 5

    def forward(self, x):
        for each in x:
            y = each


z = 1""".split("\n")


def place(line: int, column: int, end_line: int, end_column: int, *, later: bool) -> Related:
    return Related("a.py", Span(None, line, column, end_line, end_column), "", later)


def test_excerpt_shows_lines_around_and_what_they_stand_in() -> None:
    related = (place(6, 9, 6, 10, later=False), place(16, 17, 16, 21, later=True))
    span = Span(None, 16, 13, 16, 21)
    finding = Finding("DEV201", "x", "", "error", "a.py", span, related)
    [shown] = excerpts(Report([finding], 1, lambda path, cell: CODE), steps(finding))
    numbers = [None if line is None else line.number for line in shown.lines]
    assert numbers == [1, None, 3, 4, 5, 6, 7, 8, None, 14, 15, 16]
    last = shown.lines[-1]
    assert last is not None
    assert [(text, sorted(steps)) for text, steps in last.pieces] == [
        ("            ", []),
        ("y = ", [2]),
        ("each", [2, 3]),
    ]
    assert last.ends == (2, 3)


def test_steps_are_in_the_order_of_time() -> None:
    related = (place(1, 1, 1, 2, later=False), place(9, 1, 9, 2, later=True))
    finding = Finding("DEV101", "x", "", "error", "a.py", Span(None, 5, 1, 5, 2), related)
    assert steps(finding) == [related[0], finding, related[1]]


def test_five_thousand_findings_are_a_few_megabytes() -> None:
    many = [FINDINGS[0], *FINDINGS[4:5]] * 2_500
    document = "\n".join(writer("html")(Report(many, 5_000, lines)))
    assert document.count("<article") == 5_000
    assert len(document) < 16_000_000
