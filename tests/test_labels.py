"""Findings are told by their labels, and labels that fit nothing any more are named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .labels import ROOT, Comparison, Label, Place, Release, compare, main, parsed, table

HERE = Place("pack", "1.0", "pack/model.py", 7, "DEV101")
THERE = HERE._replace(line=9, code="DEV402")


def test_a_finding_takes_the_verdict_of_its_label() -> None:
    comparison = compare([HERE, THERE], [Label(THERE, "harmless"), Label(HERE, "true")])
    assert comparison.counts == {("DEV101", "true"): 1, ("DEV402", "harmless"): 1}
    assert not comparison.unlabelled
    assert not comparison.stale
    assert comparison.passes


@pytest.mark.parametrize(
    "other",
    [
        HERE._replace(package="other"),
        HERE._replace(version="1.1"),
        HERE._replace(path="pack/other.py"),
        HERE._replace(line=8),
        HERE._replace(code="DEV201"),
    ],
)
def test_a_label_of_another_place_fits_nothing(other: Place) -> None:
    comparison = compare([HERE], [Label(other, "true")])
    assert comparison.unlabelled == [HERE]
    assert comparison.stale == [Label(other, "true")]
    assert not comparison.passes


def test_each_label_answers_for_one_finding() -> None:
    comparison = compare([HERE, HERE], [Label(HERE, "true")])
    assert comparison.count("true") == 1
    assert comparison.unlabelled == [HERE]


def test_a_stale_label_is_no_failure() -> None:
    comparison = compare([], [Label(HERE, "true")])
    assert comparison.stale == [Label(HERE, "true")]
    assert comparison.passes


@pytest.mark.parametrize(("true", "passes"), [(18, False), (19, True)])
def test_one_false_finding_in_twenty_is_tolerated(true: int, passes: bool) -> None:
    labels = [Label(HERE, "false"), *[Label(THERE, "true")] * true]
    comparison = compare([label.place for label in labels], labels)
    assert comparison.false_share == 1 / (true + 1)
    assert comparison.passes is passes


def test_no_findings_have_no_false_share() -> None:
    assert Comparison().false_share == 0


def test_the_table_counts_by_rule_and_in_all() -> None:
    lines = [line.split() for line in table(compare([HERE, THERE], [Label(THERE, "harmless")]))]
    assert lines[1:4] == [
        ["DEV101", "0", "0", "0", "1"],
        ["DEV402", "0", "1", "0", "0"],
        ["all", "0", "1", "0", "1"],
    ]
    assert lines[-1] == ["unlabelled:", "pack==1.0", "pack/model.py:7", "DEV101"]


@pytest.mark.parametrize("wrong", [{"verdict": "maybe"}, {"why": ""}])
def test_a_label_has_a_verdict_and_a_reason(wrong: dict[str, str]) -> None:
    fields = {**HERE._asdict(), "verdict": "true", "why": "raises"}
    assert list(parsed([json.dumps(fields)])) == [Label(HERE, "true")]
    with pytest.raises(ValueError, match="label 1"):
        list(parsed([json.dumps(fields | wrong)]))


def test_the_labels_in_this_repository_are_well_formed() -> None:
    lines = (ROOT / "testdata" / "labels.jsonl").read_text(encoding="utf-8").splitlines()
    places = [label.place for label in parsed(lines)]
    assert places == sorted(places)


def test_the_command_is_run_on_a_release(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    package = tmp_path / "pack"
    package.mkdir()
    mixed = "import torch\ny = torch.ones(3, device='cuda') + torch.ones(3)\n"
    (package / "model.py").write_text(mixed)
    place = Place("pack", "1.0", "pack/model.py", 2, "DEV201")
    assert list(Release("pack", "1.0", tmp_path).findings()) == [place]

    labels = tmp_path / "labels.jsonl"
    labels.write_text("")
    arguments = [f"pack==1.0={tmp_path}", "--labels", str(labels)]
    assert main(arguments) == 1
    assert f"unlabelled: {place}" in capsys.readouterr().out
    labels.write_text(json.dumps({**place._asdict(), "verdict": "true", "why": "raises"}))
    assert main(arguments) == 0
