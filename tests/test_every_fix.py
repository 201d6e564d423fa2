"""Every fix of rule pages and specs, in files of every kind: the finding goes, and nothing else
changes."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Callable, Iterator

import pytest

from devlint.finding import Finding
from devlint.lower.cst_edit import parses
from devlint.run.check import check
from devlint.run.fix import Mended, mended
from devlint.run.plan import Plan
from devlint.testing.spec import Case, cases
from devlint.text.source_text import decode
from tests.test_specs import PAGES, RULES

Variant = Callable[[str], bytes]


def crlf(text: str) -> bytes:
    return text.replace("\n", "\r\n").encode()


def cr(text: str) -> bytes:
    return text.replace("\n", "\r").encode()


def bom(text: str) -> bytes:
    return text.encode("utf-8-sig")


def tabs(text: str) -> bytes:
    return re.sub(r"^(?:    )+", lambda m: "\t" * (len(m[0]) // 4), text, flags=re.M).encode()


def form_feeds(text: str) -> bytes:
    return text.replace("\n\n", "\n\x0c\n").encode()


def latin_1(text: str) -> bytes:
    return f"# coding: latin-1\n# größe\n{text}# größe\n".encode("latin-1")


def no_final_newline(text: str) -> bytes:
    return text.rstrip("\n").encode()


def all_of_windows(text: str) -> bytes:
    text = form_feeds(tabs(no_final_newline(text).decode()).decode()).decode()
    return bom(crlf(text).decode())


def all_of_old(text: str) -> bytes:
    return latin_1(form_feeds(tabs(text).decode()).decode()).rstrip(b"\n").replace(b"\n", b"\r")


SINGLE = (crlf, cr, bom, tabs, form_feeds, latin_1, no_final_newline)


def variants(case: Case) -> Iterator[Variant]:
    """Every trait, together with others, and one of them alone: which, is drawn by the text."""
    yield from (all_of_windows, all_of_old)
    yield SINGLE[len(case.code) % len(SINGLE)]


@pytest.mark.parametrize("page", PAGES)
def test_fixes_of_a_page_mend_and_change_nothing_else(page: str) -> None:
    for case in cases(PAGES[page]):
        rules = [rule() for rule in RULES if not rule.is_opt_in or rule.code in case.code]
        plan = Plan.of_rules(rules, ("safe", "unsafe"))
        file, found = fixed(case.code.encode(), plan)
        fixes = [each.fix for each in found if each.fix is not None]
        assert all((fix.safety == "unsafe") == bool(fix.risk) for fix in fixes), case.title
        assert file.is_changed == any(each.fix for each in plan.findings(found)), case.title
        if not file.is_changed:
            continue
        assert file.refused == (), case.title
        assert [each for each in plan.findings(file.left) if each.fix] == [], case.title
        assert {each.code for each in plan.findings(file.left)} <= {each.code for each in found}, (
            case.title
        )
        text = decode(file.after)
        assert comments(text) == comments(case.code), case.title
        assert parses(text)
        compile(text, case.title, "exec")
        again, _ = fixed(file.after, plan)
        assert not again.is_changed, case.title
        for variant in variants(case):
            other, _ = fixed(variant(case.code), plan)
            # What a fix aligns, it aligns by spaces.
            wanted = variant(text).expandtabs(4)
            assert other.after.expandtabs(4) == wanted, (case.title, variant.__name__)
            assert other.after.count(b"\t") >= other.before.count(b"\t")


def fixed(data: bytes, plan: Plan) -> tuple[Mended, tuple[Finding, ...]]:
    found = check("a.py", data, plan.active).findings
    return mended("a.py", data, found, plan), found


def comments(text: str) -> list[str]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return sorted(token.string for token in tokens if token.type == tokenize.COMMENT)


@pytest.mark.parametrize(
    ("code", "body"),
    [
        # What is called is a module: it has no device.
        (
            "DEV203",
            """
class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.embed = nn.Embedding(1, n)

    def forward(self, kind):
        return self.embed(torch.LongTensor([kind]))
""",
        ),
        # None has no device.
        (
            "DEV203",
            """
def ids(n, offset: torch.Tensor | None = None):
    start = torch.arange(1) if offset is None else offset[0]
    count = torch.arange(n)
    return torch.cartesian_prod(start, count)
""",
        ),
        (
            "DEV203",
            """
def ids(n, offset: Optional[torch.Tensor]):
    start = torch.arange(1) if offset is None else offset[0]
    count = torch.arange(n)
    return torch.cartesian_prod(start, count)
""",
        ),
        # Where the flag is not set, there need be no such device.
        (
            "DEV303",
            """
def main(args, data):
    if args.cuda:
        torch.set_default_device("cuda")
    return RandomSampler(data)
""",
        ),
    ],
)
def test_fix_that_would_break_a_program_is_not_offered(code: str, body: str) -> None:
    head = (
        "from typing import Optional\nimport torch\nfrom torch import nn\n"
        "from torch.utils.data import RandomSampler\n"
    )
    found = check("a.py", (head + body).encode(), [rule() for rule in RULES]).findings
    assert [(each.code, each.fix) for each in found] == [(code, None)]
