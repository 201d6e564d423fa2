"""The sample of findings that the page on accuracy rests on."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from tests.accuracy.report import PAGE, made, rows, weighted, wilson
from tests.accuracy.sample import (
    FIRST,
    FOURTH,
    SECOND,
    THIRD,
    VERDICTS,
    WHEELS,
    Drawn,
    Study,
    drawn,
    read,
    spelled,
    take,
    unread,
)
from tests.documents import ROOT

ONE = Drawn("p==1", "a.py", 1, None, "DEV201", "error", "high", (), "message")


def numbered(code: str, count: int, confidence: str = "high") -> list[Drawn]:
    return [replace(ONE, code=code, line=n, confidence=confidence) for n in range(count)]


def test_rules_with_many_findings_are_drawn_from_and_rare_ones_whole() -> None:
    sample = drawn([*numbered("DEV201", 100), *numbered("DEV202", 7)], "1")
    assert [each.code for each in sample].count("DEV201") == FIRST.limit
    assert [each.code for each in sample].count("DEV202") == 7


def test_the_seed_decides_which() -> None:
    found = numbered("DEV201", 100)
    assert drawn(found, "1") == drawn(reversed(found), "1")
    assert drawn(found, "1") != drawn(found, "2")


def test_the_lower_verdict_counts() -> None:
    assert replace(ONE, verdicts=("true", "harmless")).verdict == "harmless"
    assert replace(ONE, verdicts=("false", "true")).verdict == "false"


def test_what_was_read_is_known_by_what_was_drawn() -> None:
    assert unread(replace(ONE, verdicts=("true", "false"), why="wrong")) == ONE


def test_a_sample_that_is_taken_again_keeps_its_verdicts(tmp_path: Path) -> None:
    study = Study(tmp_path, 0, 0)
    known = replace(ONE, verdicts=("false",), why="wrong")
    take(study, [known])
    take(study, [ONE, replace(ONE, line=2)])
    assert read(study.sample) == [known, replace(ONE, line=2)]


def test_folders_are_packages_or_repositories() -> None:
    assert spelled("torch_pruning-1.6.1") == "torch_pruning==1.6.1"
    assert spelled("tkipf+pygcn") == "tkipf/pygcn"


def test_intervals_are_those_of_wilson() -> None:
    assert wilson(8, 10) == pytest.approx((0.490, 0.943), abs=0.001)
    assert wilson(0, 5)[0] == 0


def test_rules_weigh_by_their_findings() -> None:
    sample = [
        *(replace(ONE, code="DEV201", verdicts=("false",)) for _ in range(10)),
        *(replace(ONE, code="DEV202", verdicts=("true",)) for _ in range(10)),
    ]
    assert weighted(sample, {"DEV201": 10, "DEV202": 90})[1].startswith("90 %")
    assert [row[0] for row in rows(sample, lambda each: each.code)] == ["DEV201", "DEV202"]


@pytest.mark.parametrize(
    "study",
    [FIRST, SECOND, THIRD, FOURTH, WHEELS],
    ids=["first", "second", "third", "fourth", "wheels"],
)
def test_each_finding_of_a_sample_was_read(study: Study) -> None:
    names = {name.partition("@")[0] for name in study.packages()[0]}
    for each in read(study.sample):
        assert each.package in names
        assert len(each.verdicts) == study.readers
        assert set(each.verdicts) <= set(VERDICTS)
        assert each.why or each.verdict == "true"


def test_the_page_says_what_the_labels_say() -> None:
    assert PAGE.read_text() == made()


def test_the_page_on_scans_says_what_became_of_the_errors() -> None:
    verdicts = Counter(each.verdict for each in read(WHEELS.sample))
    true, harmless, false = (verdicts[each] for each in VERDICTS)
    page = " ".join((ROOT / "docs" / "scan.md").read_text().split())
    assert f"All {verdicts.total()} errors among the findings of the 200 were read" in page
    assert f"read: {true} are true, {harmless} harmless, {false} false." in page
