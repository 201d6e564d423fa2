"""What the project shows of itself is true: the documents, the demo, the hook."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from devlint import api
from devlint.flow import loops
from devlint.interpret.calls import inlining
from devlint.settings.schema import schema
from devlint.testing import option_table, signal_table
from devlint.testing.rule_table import updated
from tests.benchmarks import measured
from tests.documents import DOCUMENTS, ROOT

DEMO = Path("testdata", "projects", "demo")
LINKING = (*DOCUMENTS, "devlint/README.md", "devlint/confirm/README.md", "rules/README.md")
#: Options of other commands.
VERBS = ("check", "confirm", "evidence", "run", "scan", "shift")
OF_FLAKE8 = {"--disable-noqa", "--extend-ignore"}
OF_OTHERS = {"--all", "--version", "--below", "--verdicts", "--generated"} | OF_FLAKE8
DEMONSTRATED = {
    "finetune_classifier.py": ["DEV101"],
    "noisy_regression.py": ["DEV301", "DEV302", "DEV302"],
    "serve.py": ["DEV402"],
    "train.py": ["DEV401"],
}


def devlint(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "devlint", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8")


@pytest.fixture(scope="module")
def demonstrated() -> dict[str, list[str]]:
    """The codes found in each file of the demo."""
    done = devlint("--isolated", "--exit-zero", "--output-format", "json", str(DEMO))
    assert done.returncode == 0, done.stderr
    codes = defaultdict(list)
    for finding in json.loads(done.stdout):
        codes[Path(finding["path"]).relative_to(DEMO).as_posix()].append(finding["code"])
    return codes


@pytest.mark.parametrize("name", DEMONSTRATED)
def test_demo_shows_each_story(name: str, demonstrated: dict[str, list[str]]) -> None:
    assert sorted(demonstrated[f"buggy/{name}"]) == DEMONSTRATED[name]


@pytest.mark.parametrize("name", DEMONSTRATED)
def test_mended_twin_is_clean(name: str, demonstrated: dict[str, list[str]]) -> None:
    assert (ROOT / DEMO / "mended" / name).is_file()
    assert demonstrated[f"mended/{name}"] == []


def test_demo_holds_nothing_else() -> None:
    for folder in ("buggy", "mended"):
        assert {path.name for path in (ROOT / DEMO / folder).iterdir()} == DEMONSTRATED.keys()


@pytest.mark.parametrize("name", ["README.md", "rules/README.md"])
def test_rule_table_is_current(name: str) -> None:
    text = (ROOT / name).read_text()
    assert updated(text) == text, "run `make table`"


def test_options_of_files_are_documented_as_they_are() -> None:
    text = (ROOT / "docs" / "configuration.md").read_text()
    assert option_table.updated(text) == text, "run `make table`"
    committed = json.loads((ROOT / "devlint.schema.json").read_text())
    assert committed == schema(), "run `make table`"


def test_performance_is_told_as_it_was_measured() -> None:
    text = measured.PAGE.read_text()
    assert measured.updated(text) == text, "run `python -m tests.benchmarks.measured`"
    assert re.findall(r"^\| \S.*\d", text, re.M)


def test_signals_and_events_are_documented_as_they_are() -> None:
    text = (ROOT / "docs" / "signals.md").read_text()
    assert signal_table.updated(text) == text, "run `make table`"


def test_rules_can_import_all_signals_and_events() -> None:
    tables = signal_table.signal_rows(), signal_table.event_rows(), signal_table.part_rows()
    names = {row[0].strip("`") for rows in tables for row in rows}
    assert names <= {*api.__all__}


def test_signals_say_when_they_are_published_and_what_may_be_revised() -> None:
    rows = {name: rest for name, *rest in signal_table.signal_rows()}
    is_revisable, told, listed = rows["`Transferred`"]
    assert is_revisable
    assert told == "What is on no or another device goes to `device`, and is `value` there."
    assert listed.split(", ") == [
        "`value: Value`",
        "`call: Call`",
        "`before: Value`",
        "`device: Device`",
    ]
    assert not rows["`Transferring`"][0]
    assert "`host`: The operand that the result is with" in rows["`Combined`"][1]
    assert {name for name, does_raise, *_ in signal_table.event_rows() if does_raise} == {
        "`Combine`",
        "`Feed`",
        "`Sample`",
    }


@pytest.mark.parametrize("name", LINKING)
def test_links_lead_somewhere(name: str) -> None:
    document = ROOT / name
    for target in re.findall(r"\]\(([^)#:]+)\)", document.read_text()):
        assert (document.parent / target).exists(), target


def test_documented_budgets_are_those_of_the_code() -> None:
    calls = ("DEPTH", "DEEPEST", "CONTEXTS")
    budgets = {name: getattr(inlining, name) for name in calls} | {"ROUNDS": loops.ROUNDS}
    text = (ROOT / "docs" / "design.md").read_text()
    assert dict(re.findall(r"`([A-Z]+) = (\d+)`", text)) == {k: str(n) for k, n in budgets.items()}


def test_documented_options_exist() -> None:
    help_text = "".join(devlint(verb, "--help").stdout for verb in VERBS)
    text = "".join((ROOT / name).read_text() for name in DOCUMENTS)
    options = set(re.findall(r"`(--[a-z-]+)", text))
    assert options
    # Those of switches are not listed.
    opposites = {f"--no-{option[2:]}" for option in re.findall(r"--[a-z-]+", help_text)}
    plugin = (ROOT / "devlint" / "confirm" / "pytest_plugin.py").read_text()
    of_pytest = set(re.findall(r'"(--devlint-[a-z-]+)"', plugin))
    others = OF_OTHERS | opposites | of_pytest
    assert {option for option in options - others if option not in help_text} == set()


def test_options_that_exist_are_documented() -> None:
    options = set(re.findall(r"^ +(?:-\w, )?(--[a-z-]+)", devlint("check", "--help").stdout, re.M))
    text = (ROOT / "docs" / "usage.md").read_text()
    assert {option for option in options if f"`{option}" not in text} == {"--help"}
