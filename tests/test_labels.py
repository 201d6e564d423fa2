"""Findings are told by their labels, and labels that fit nothing any more are named."""

from __future__ import annotations

import argparse
import json
import subprocess
from pathlib import Path

import pytest

from .labels import (
    LISTED,
    ROOT,
    SAMPLE,
    Comparison,
    Label,
    Place,
    Release,
    compare,
    main,
    parsed,
    sampled,
    table,
)

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
    cell = {"cell_type": "code", "source": mixed}
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": [{"cell_type": "raw"}, cell]}))
    in_cell = Place("pack", "1.0", "a.ipynb", 2, "DEV201", 2)
    assert list(Release("pack", "1.0", tmp_path).findings()) == [in_cell, place]
    assert str(in_cell) == "pack==1.0 a.ipynb:cell 2:2 DEV201"
    (tmp_path / "a.ipynb").unlink()

    labels = tmp_path / "labels.jsonl"
    labels.write_text("")
    arguments = [f"pack==1.0={tmp_path}", "--labels", str(labels)]
    assert main(arguments) == 1
    assert f"unlabelled: {place}" in capsys.readouterr().out
    labels.write_text(json.dumps({**place._asdict(), "verdict": "true", "why": "raises"}))
    assert main(arguments) == 0


def test_a_rule_with_many_findings_has_a_bar_of_its_own() -> None:
    labels = [Label(HERE, "false")] * 2 + [Label(HERE, "true")] * 8 + [Label(THERE, "true")] * 90
    comparison = compare([label.place for label in labels], labels)
    assert comparison.false_share == 0.02
    assert not comparison.is_precise("DEV101")
    assert comparison.is_precise("DEV402")
    assert not comparison.passes


def test_many_findings_of_a_rule_are_sampled_alike_each_time() -> None:
    many = [HERE._replace(line=line) for line in range(100)]
    few = [THERE._replace(line=line) for line in range(SAMPLE)]
    drawn = sampled([*many, *few])
    assert len(drawn) == 2 * SAMPLE
    assert {*few} < {*drawn} < {*many, *few}
    assert {*drawn} == {*sampled([*few, *reversed(many)])}
    without = [place for place in many if place != drawn[0]]
    assert len({*sampled(without)} - {*drawn}) == 1


@pytest.mark.parametrize("text", ["pack==1.0", "pack==1.0=nowhere", "pack=.", "a/b@master=."])
def test_what_names_no_release_is_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError):
        Release.named(text)


def git(folder: Path, *arguments: str) -> str:
    author = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
    command = ["git", "-C", str(folder), *author, *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def test_a_release_may_be_a_commit_that_is_checked_out(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "first")
    commit = git(tmp_path, "rev-parse", "HEAD")
    release = Release.named(f"owner/name@{commit}={tmp_path}")
    assert release[:2] == ("owner/name", commit[:12])
    place = HERE._replace(package=release.package, version=release.version)
    assert str(place) == f"owner/name@{commit[:12]} pack/model.py:7 DEV101"
    with pytest.raises(argparse.ArgumentTypeError, match="is not at 0000"):
        Release.named(f"owner/name@{'0' * 40}={tmp_path}")


def test_every_label_is_of_a_listed_release() -> None:
    labels = parsed((ROOT / "testdata" / "labels.jsonl").read_text(encoding="utf-8").splitlines())
    listed = [Release.spelled(name, ROOT)[:2] for name in LISTED.read_text().split()]
    assert len(listed) == len({*listed})
    assert {label.place[:2] for label in labels} <= {*listed}
