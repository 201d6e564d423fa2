"""Findings that rest on presumptions: what is shown, what counts, what may be mended unasked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from lsprotocol.types import DiagnosticSeverity

from devlint.cli import main
from devlint.finding import Finding, Presumed, Span
from devlint.rule.presumption import Presumption, confidence
from devlint.rule.registry import load_rules
from devlint.run.plan import Plan
from devlint.server.diagnostics import severity
from devlint.settings import Settings

#: One finding of each confidence: high in line 8, medium in line 14, low in line 17.
PROGRAM = """import settings
import torch

device = torch.device(settings.device)


def mixed(size):
    return torch.ones(size, device="cuda:0") + torch.ones(size)


def exported(model, x):
    model.eval()
    y = model(x)
    return y.numpy()


mask = torch.zeros(3).cuda()
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text(PROGRAM)
    return tmp_path


def devlint(*arguments: str) -> Result:
    return CliRunner().invoke(main, ("--isolated", *arguments, "a.py"))


def found(*arguments: str) -> dict[str, dict[str, Any]]:
    items = json.loads(devlint("--output-format", "json", *arguments).stdout)
    return {each["code"]: each for each in items}


@pytest.mark.parametrize(
    ("arguments", "codes"),
    [
        (("--confidence", "high"), {"DEV201"}),
        ((), {"DEV201", "DEV205"}),
        (("--confidence", "medium"), {"DEV201", "DEV205"}),
        (("--confidence", "low"), {"DEV201", "DEV205", "DEV701"}),
    ],
)
def test_findings_are_shown_down_to_a_confidence(
    arguments: tuple[str, ...], codes: set[str]
) -> None:
    assert found(*arguments).keys() == codes


def test_a_project_configures_it() -> None:
    Path("devlint.toml").write_text('confidence = "high"\n')
    items = json.loads(CliRunner().invoke(main, ("--output-format", "json", "a.py")).stdout)
    assert [each["code"] for each in items] == ["DEV201"]


def test_what_is_presumed_is_told() -> None:
    proven, presumed = found()["DEV201"], found()["DEV205"]
    assert (proven["confidence"], proven["presumed"]) == ("high", [])
    assert presumed["confidence"] == "medium"
    assert [each["name"] for each in presumed["presumed"]] == ["given-model"]
    told = f"medium confidence: presumed that {Presumption.GIVEN_MODEL.claim}"
    assert f"= {told}" in devlint().stdout
    for form in ("github", "gitlab", "azure", "rdjson", "junit", "html"):
        assert told in devlint("--output-format", form).stdout
    for form in ("concise", "grouped"):
        assert devlint("--output-format", form).stdout.count("(medium confidence)") == 1


def test_sarif_ranks_by_confidence() -> None:
    log = json.loads(devlint("--confidence", "low", "--output-format", "sarif").stdout)
    ranks = {each["ruleId"]: each["rank"] for each in log["runs"][0]["results"]}
    assert ranks["DEV201"] > ranks["DEV205"] > ranks["DEV701"]


def test_findings_that_are_not_shown_do_not_fail_a_run() -> None:
    Path("a.py").write_text(PROGRAM.replace(" + torch.ones(size)", "").replace("return y.n", "y.n"))
    assert devlint("--select", "DEV701").exit_code == 0
    shown = devlint("--select", "DEV701").stdout
    assert shown.endswith("found in 1 file.\n2 more with `--confidence low`.\n")
    assert devlint("--select", "DEV701", "--confidence", "low").exit_code == 1


def test_safe_fixes_are_applied_where_the_finding_is_proven() -> None:
    devlint("--fix", "--select", "DEV205")
    assert Path("a.py").read_text() == PROGRAM
    devlint("--fix", "--unsafe-fixes", "--select", "DEV205")
    assert Path("a.py").read_text() == PROGRAM.replace("y.numpy", "y.cpu().numpy")


def test_fixes_of_what_is_not_shown_are_not_applied() -> None:
    devlint("--fix", "--unsafe-fixes", "--select", "DEV205", "--confidence", "high")
    assert Path("a.py").read_text() == PROGRAM


def test_a_baseline_knows_all() -> None:
    devlint("--write-baseline", "known.json")
    entries = json.loads(Path("known.json").read_text())["findings"]
    assert {each["code"] for each in entries} == {"DEV201", "DEV205", "DEV701"}
    assert found("--baseline", "known.json", "--confidence", "low") == {}


def test_comments_are_written_for_what_is_shown() -> None:
    devlint("--add-noqa")
    text = Path("a.py").read_text()
    assert "DEV205" in text
    assert "DEV701" not in text


def test_a_comment_that_silences_what_is_not_shown_is_of_use() -> None:
    Path("a.py").write_text(PROGRAM.replace(".cuda()", ".cuda()  # noqa: DEV701"))
    assert "DEV901" not in found()


def test_of_several_presumptions_none_is_above_low() -> None:
    assert confidence(()) == "high"
    assert confidence((Presumption.GIVEN_MODEL,)) == "medium"
    assert confidence((Presumption.PORTABLE,)) == "low"
    assert confidence((Presumption.ANY_DEVICE, Presumption.PLAIN_MODEL)) == "low"


def finding(level: str) -> Finding:
    span = Span(None, 1, 1, 1, 2)
    presumed = (Presumed("any-device", "it is"),)
    sure: Any = level
    return Finding("DEV205", "n", "m", "error", "a.py", span, confidence=sure, presumed=presumed)


def test_editors_make_less_of_what_is_less_sure() -> None:
    levels = [severity(finding(level)) for level in ("high", "medium", "low")]
    assert levels == [
        DiagnosticSeverity.Error,
        DiagnosticSeverity.Warning,
        DiagnosticSeverity.Information,
    ]


def test_a_finding_hidden_for_its_confidence_masks_no_other() -> None:
    Path("a.py").write_text(PROGRAM)
    plan = Plan.of(Settings(extend_select=("DEV802",)), load_rules())
    shown = plan.findings(plan.check("a.py", PROGRAM.encode()).findings)
    assert "DEV802" in {each.code for each in shown}


#: What evaluates a model is no test, whatever its functions are called.
EVALUATION = """import torch


def test(model, path):
    model.load_state_dict(torch.load(path))
"""


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("test.py", EVALUATION, "high"),
        ("net.py", EVALUATION, "high"),
        ("test_net.py", EVALUATION, "low"),
        ("net_test.py", EVALUATION, "low"),
        ("test_net.py", EVALUATION.replace("def test", "def evaluate"), "high"),
        ("net.py", f"import pytest\n{EVALUATION}", "low"),
        ("net.py", f"from unittest.mock import patch\n{EVALUATION}", "low"),
    ],
)
def test_warnings_in_tests_have_low_confidence(name: str, text: str, expected: str) -> None:
    Path(name).write_text(text)
    command = ("--isolated", "--confidence", "low", "--output-format", "json", name)
    (finding,) = json.loads(CliRunner().invoke(main, command).stdout)
    assert (finding["code"], finding["confidence"]) == ("DEV402", expected)


def test_what_raises_in_a_test_is_as_sure_as_elsewhere() -> None:
    Path("a.py").write_text(f"import pytest\n{PROGRAM}")
    assert found()["DEV201"]["confidence"] == "high"
