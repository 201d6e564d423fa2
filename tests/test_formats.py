"""What programs read is as their readers want it, whatever stands in names and code."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

import pytest
from jsonschema import Draft202012Validator, ValidationError
from junitparser import Failure, JUnitXml, TestSuite

from devlint.finding import Finding
from devlint.report import FORMATS
from devlint.report.sarif import text
from devlint.report.text import one_line
from devlint.text.display_paths import CHECKOUTS, relative
from tests.nasty import CODE, FINDINGS, FIXED, IN_CELL, NASTY, PATH, written

SCHEMAS = Path(__file__).parent.parent / "testdata" / "schemas"
#: As runners of GitHub and agents of Azure take commands apart.
GITHUB = re.compile(r"::(?P<command>error|warning|notice) (?P<properties>[^\n]*?)::(?P<message>.*)")
AZURE = re.compile(r"##vso\[task\.logissue (?P<properties>[^\]]*)\](?P<message>.*)")


@pytest.fixture(autouse=True)
def nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in CHECKOUTS:
        monkeypatch.delenv(variable, raising=False)


def validate(schema: str, document: Any) -> None:
    content = json.loads((SCHEMAS / schema).read_text(encoding="utf-8"))
    Draft202012Validator(content).validate(document)


def sarif(document: str) -> None:
    """The schema, and what GitHub asks for beyond it."""
    log = json.loads(document)
    validate("sarif-2.1.0.json", log)
    [run] = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    fingerprints = [each["partialFingerprints"]["devlint/v1"] for each in run["results"]]
    assert len(set(fingerprints)) == len(fingerprints)
    for each in run["results"]:
        assert rules[each["ruleIndex"]]["id"] == each["ruleId"]
        assert each["message"]["text"]
        [place] = each["locations"]
        assert place["physicalLocation"]["region"]["startLine"] > 0
        assert re.fullmatch(r"[\w%./~-]+", place["physicalLocation"]["artifactLocation"]["uri"])


def gitlab(document: str) -> None:
    items = json.loads(document)
    validate("gitlab.json", items)
    assert len({each["fingerprint"] for each in items}) == len(items)


def rdjson(document: str) -> None:
    validate("rdjson.json", json.loads(document))


def junit(document: str) -> None:
    suites = JUnitXml.fromstring(document.encode("utf-8"))
    assert sum(suite.tests for suite in suites) == suites.tests > 0
    cases = [case for suite in suites for case in suite]
    assert len(cases) == suites.tests
    assert len({(case.classname, case.name) for case in cases}) == len(cases)


def github(document: str) -> None:
    for line in document.splitlines():
        match = GITHUB.fullmatch(line)
        assert match is not None
        properties = dict(each.split("=") for each in match["properties"].split(","))
        assert properties.keys() >= {"title", "file", "line"}
        assert "%" not in re.sub("%(25|0D|0A|3A|2C)", "", line)


def azure(document: str) -> None:
    for line in document.splitlines():
        match = AZURE.fullmatch(line)
        assert match is not None
        properties = dict(each.split("=") for each in match["properties"].split(";")[:-1])
        assert properties["type"] in ("error", "warning")
        assert properties.keys() >= {"sourcepath", "linenumber", "columnnumber", "code"}


def json_lines(document: str) -> None:
    for line in document.splitlines():
        assert json.loads(line)["code"]


def for_people(document: str) -> None:
    assert all(one_line(line) == line for line in document.split("\n"))


CHECKS: dict[str, Callable[[str], None]] = {
    "sarif": sarif,
    "gitlab": gitlab,
    "rdjson": rdjson,
    "junit": junit,
    "github": github,
    "azure": azure,
    "json-lines": json_lines,
    "json": json.loads,
    "concise": for_people,
    "grouped": for_people,
    "full": for_people,
}
BROKEN = {
    "sarif": ('"startLine": 5', '"startLine": "5"'),
    "gitlab": ('"critical"', '"bad"'),
    "rdjson": ('"line": 5', '"line": 0'),
    "junit": ("&lt;", "<"),
    "github": ("%0A", "\n"),
    "azure": ("%3B", ";"),
    "json-lines": ('"code"', "code"),
    "json": ('"code"', "code"),
    "concise": ("�", "\x1b"),
    "grouped": ("�", "\x1b"),
    "full": ("�", "\x1b"),
}


@pytest.mark.parametrize("output_format", CHECKS)
@pytest.mark.parametrize("findings", [FINDINGS, FINDINGS[:1], []], ids=["all", "one", "none"])
def test_reader_accepts_it(output_format: str, findings: list[Finding]) -> None:
    document = written(output_format, findings)
    CHECKS[output_format](document)


@pytest.mark.parametrize("output_format", BROKEN)
def test_reader_refuses_what_is_broken(output_format: str) -> None:
    document = written(output_format)
    broken = document.replace(*BROKEN[output_format])
    assert broken != document
    with pytest.raises((AssertionError, ValidationError, ValueError, SyntaxError)):
        CHECKS[output_format](broken)


def test_every_format_is_checked() -> None:
    assert CHECKS.keys() | {"html"} == FORMATS.keys()


def results() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(written("sarif"))["runs"][0]["results"]
    return found


def test_sarif_tells_the_path_and_ends_where_it_leads() -> None:
    first = results()[0]
    [flow] = first["codeFlows"][0]["threadFlows"]
    messages = [each["location"]["message"]["text"] for each in flow["locations"]]
    assert messages[1:] == ["made\nthere", first["message"]["text"]]
    assert [each["id"] for each in first["relatedLocations"]] == [1, 2]
    assert "codeFlows" not in results()[1]


def test_sarif_paths_are_relative_and_encoded() -> None:
    artifact = results()[0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert artifact["uriBaseId"] == "SRCROOT"
    assert unquote_to_bytes(artifact["uri"]) == os.fsencode(PATH)


def test_sarif_edits_mend_the_text() -> None:
    assert json.loads(written("sarif"))["runs"][0]["columnKind"] == "unicodeCodePoints"
    [change] = results()[0]["fixes"][0]["artifactChanges"]
    first, second = change["replacements"]
    region = first["deletedRegion"]
    assert CODE[4][region["startColumn"] - 1 : region["endColumn"] - 1] == "größe"
    assert second["insertedContent"]["text"].startswith("x.cpu(\n")


def test_sarif_places_a_finding_in_its_cell() -> None:
    found = next(each for each in results() if each["ruleId"] == IN_CELL.code)
    [place] = found["locations"]
    assert place["physicalLocation"]["region"] == {"startLine": 43}
    assert place["logicalLocations"][0]["fullyQualifiedName"] == f"{IN_CELL.path}:cell 3"
    assert place["properties"]["region"]["startLine"] == 3
    assert "fixes" not in found


def test_sarif_tells_the_verdict() -> None:
    found = next(each for each in results() if each["ruleId"] == IN_CELL.code)
    assert found["properties"]["evidence"]["verdict"] == "confirmed"
    assert "(confirmed (emulated CUDA, torch 2.13.0): RuntimeError: " in found["message"]["text"]
    assert "properties" not in results()[0]


def test_sarif_explains_its_rules() -> None:
    rules = json.loads(written("sarif"))["runs"][0]["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == sorted({each.code for each in FINDINGS})
    told = rules[1]
    assert told["help"]["markdown"].startswith("A tensor is made on the CPU")
    assert told["fullDescription"]["text"] != told["shortDescription"]["text"]
    assert rules[2]["defaultConfiguration"] == {"level": "warning", "enabled": False}


def test_sarif_says_what_could_not_be_done() -> None:
    [invocation] = json.loads(written("sarif"))["runs"][0]["invocations"]
    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (False, 2)
    levels = [each["level"] for each in invocation["toolExecutionNotifications"]]
    assert levels == ["error", "note", "warning"]


def test_sarif_messages_have_neither_links_nor_placeholders() -> None:
    assert text("`layers[0](x)` {1} {x} [a]") == {"text": r"`layers\[0\](x)` {{1}} {x} [a]"}


def test_github_says_what_it_was_given() -> None:
    first = GITHUB.fullmatch(written("github").splitlines()[0])
    assert first is not None
    message = first["message"].replace("%0A", "\n").replace("%0D", "\r").replace("%25", "%")
    assert message.startswith(one_line(FIXED.message))
    assert "% %0A ;" in message
    assert len(message.splitlines()) == 1 + len(FIXED.related)


def test_github_columns_are_those_of_one_line() -> None:
    several, one = written("github").splitlines()[1:3]
    assert "line=5,endLine=6::" in several
    assert "line=5,endLine=5,col=14,endColumn=14::" in one


def test_annotations_of_notebooks_tell_the_cell() -> None:
    for output_format in ("github", "azure", "gitlab", "rdjson"):
        document = written(output_format)
        assert "cell 3, line 3: " in document
        assert "43" in document


def test_rdjson_columns_count_bytes_and_one_suggestion_makes_all_edits() -> None:
    first = json.loads(written("rdjson"))["diagnostics"][0]
    [suggestion] = first["suggestions"]
    assert suggestion["range"]["start"] == {"line": 5, "column": 9}
    assert suggestion["range"]["end"] == {"line": 6, "column": 20}
    assert suggestion["text"] == f"größer{CODE[4][13:]}\n\tmask = weights * x.cpu(\n{NASTY})"
    start = first["location"]["range"]["start"]["column"]
    assert CODE[4].encode("utf-8", "replace")[start - 1 :] == b"torch.ones(3)"


def test_junit_names_survive_moved_lines_and_notes_do_not_fail() -> None:
    suites: list[TestSuite] = [*JUnitXml.fromstring(written("junit").encode())]
    cases = [case for suite in suites for case in suite]
    assert cases[2].name == f"{cases[1].name} (2)"
    assert not any(isinstance(each, Failure) for each in cases[3].result)
    assert cases[5].is_error


def test_paths_outside_are_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert relative(str(tmp_path / "a.py")) == relative("./x/../a.py") == "a.py"
    assert relative("../a.py") == (tmp_path.parent / "a.py").as_posix()
    assert relative("a.py", str(tmp_path.parent)) == f"{tmp_path.name}/a.py"


def test_ci_reads_paths_from_its_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "sub")
    for output_format in ("github", "gitlab", "azure", "sarif"):
        assert "sub/lib/net.py" in written(output_format)
