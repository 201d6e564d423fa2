"""Every Markdown spec and every rule's page holds, through both front ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint.rule.registry import AnyRule, load_rules
from devlint.rule.self_reports import UnusedSuppression
from devlint.testing.spec import Case, cases, confidences, marks, mismatches, reveals

SPECS = Path(__file__).parent.parent / "testdata" / "specs"
RULES = load_rules()
PAGES = {path.stem: path.read_text() for path in sorted(SPECS.rglob("*.md"))}
PAGES |= {rule.code: rule.page() for rule in RULES}
PAGES[UnusedSuppression.code] = UnusedSuppression.page()
CASES = [
    pytest.param(case, id=f"{page}-{case.title}")
    for page, text in PAGES.items()
    for case in cases(text)
]


@pytest.mark.parametrize("case", CASES)
def test_case_holds(case: Case) -> None:
    assert mismatches(case) == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_page_shows_bad_and_good_code(rule: AnyRule) -> None:
    page = {case.title: case for case in cases(rule.page())}
    assert {"Bad", "Good"} <= page.keys()
    assert rule.code in {code for _, code in marks(page["Bad"].code, "expect")}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_rule_has_a_spec_of_its_own(rule: AnyRule) -> None:
    spec = PAGES[rule.name.replace("-", "_")]
    assert rule.code in {code for case in cases(spec) for _, code in marks(case.code, "expect")}
    assert rule.code in {code for case in cases(spec) for _, code in marks(case.code, "ok")}


def test_titles_of_a_page_are_unique() -> None:
    for page, text in PAGES.items():
        titles = [case.title for case in cases(text)]
        assert len(titles) == len(set(titles)), page


PAGE = """\
# Title

## First

```python
# a comment that is no heading
x = 1  # expect: DEV101, DEV301  # related: DEV401
```

## Fixed

```python
x = 2
```

```toml
# nor is this
```

## Second

```python
reveal_device(x)  # reveal: cpu | cuda
x = y  # ok: DEV201
x = z  # expect: DEV402 (low), DEV401, DEV205 (medium)
```
"""


def test_page_is_split_into_cases() -> None:
    first, fixed, second = cases(PAGE)
    assert (first.title, first.fixed) == ("First", "x = 2\n")
    assert (fixed.title, fixed.code) == ("First, fixed", "x = 2\n")
    assert (second.title, second.fixed) == ("Second", None)


def test_marks_are_read_by_line() -> None:
    first, _, second = cases(PAGE)
    assert list(marks(first.code, "expect")) == [(2, "DEV101"), (2, "DEV301")]
    assert list(marks(first.code, "related")) == [(2, "DEV401")]
    assert list(marks(second.code, "ok")) == [(2, "DEV201")]
    assert list(reveals(second.code)) == [(1, "cpu | cuda")]
    assert list(marks(second.code, "expect")) == [(3, "DEV402"), (3, "DEV401"), (3, "DEV205")]
    assert list(confidences(second.code)) == [(3, "DEV402", "low"), (3, "DEV205", "medium")]


def test_mismatch_names_front_end_line_and_mark() -> None:
    case = Case("", "import torch\n\nx = torch.ones(3).cpu()  # expect: DEV101\n")
    assert mismatches(case) == ["ast: line 3: no DEV101", "libcst: line 3: no DEV101"]


def test_mismatch_names_another_confidence() -> None:
    sum_ = "torch.ones(3, device='cuda') + torch.ones(3)"
    case = Case("", f"import torch\n\nx = {sum_}  # expect: DEV201 (low)\n")
    told = "line 3: DEV201 is not of low confidence"
    assert mismatches(case) == [f"ast: {told}", f"libcst: {told}"]
