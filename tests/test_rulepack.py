"""The sample rule pack is found, tested, typed and isolated, as any pack that is installed."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

import pytest

from devlint.api import Transferred, on
from devlint.confirm.witnesses.witness import witnesses_of
from devlint.rule.registry import AnyRule, load_rules, rules_in
from devlint.run.check import check
from devlint.settings.file import parsed
from devlint.testing import spec
from tests.documents import ROOT

PACK = ROOT / "testdata" / "projects" / "rulepack"
PROGRAM = b"""\
import torch

x = torch.ones(3, device="cuda")
y = x + torch.ones(3)
z = x.cpu().cuda()
y = x * torch.ones(3)
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what an installation of the pack says of its entry points."""
    site = tmp_path_factory.mktemp("site")
    about = site / "acme_rules-0.1.0.dist-info"
    about.mkdir()
    project = parsed((PACK / "pyproject.toml").read_text())["project"]
    (about / "METADATA").write_text(f"Name: {project['name']}\nVersion: {project['version']}\n")
    points = project["entry-points"]["devlint.rules"]
    lines = (f"{name} = {package}\n" for name, package in points.items())
    (about / "entry_points.txt").write_text(f"[devlint.rules]\n{''.join(lines)}")
    return site


@pytest.fixture(scope="module")
def rules(site: Path) -> Iterator[list[AnyRule]]:
    """Those of all packs, the sample among them."""
    with pytest.MonkeyPatch.context() as patch:
        for folder in (PACK, site):
            patch.syspath_prepend(str(folder))
        rules = load_rules()
        patch.setattr(spec, "loaded", lambda: tuple(rules))
        yield rules
    for name in [name for name in sys.modules if name.partition(".")[0] == "acme_rules"]:
        del sys.modules[name]


@pytest.fixture(scope="module")
def own(rules: list[AnyRule]) -> list[AnyRule]:
    """The rules of the pack."""
    return [rule for rule in rules if rule.pack() == "acme_rules"]


def found(rules: list[AnyRule], program: bytes = PROGRAM) -> list[tuple[str, int]]:
    findings = check("a.py", program, [rule() for rule in rules if not rule.is_opt_in]).findings
    return [(finding.code, finding.span.line) for finding in findings]


def test_what_a_module_names_besides_rules_is_left_alone() -> None:
    module = ModuleType("acme_rules.names")
    vars(module).update(Row=tuple[int, ...], Rows=list[str], Other=int, count=3)
    assert list(rules_in(module)) == []


def test_both_forms_of_a_rule_are_found(own: list[AnyRule]) -> None:
    modules = {rule.code: rule.__module__ for rule in own}
    assert modules == {
        "ACME001": "acme_rules.mixed_sum",
        "ACME002": "acme_rules.round_trip.rule",
    }


def test_pages_hold(own: list[AnyRule]) -> None:
    for rule in own:
        cases = list(spec.cases(rule.page()))
        assert {case.title for case in cases} == {"Bad", "Good"}
        assert [spec.mismatches(case) for case in cases] == [[], []], rule.code


def test_specs_hold(own: list[AnyRule]) -> None:
    specs = sorted((PACK / "specs").glob("*.md"))
    assert [path.stem for path in specs] == [rule.name.replace("-", "_") for rule in own]
    for case in (case for path in specs for case in spec.cases(path.read_text())):
        assert spec.mismatches(case) == [], case.title


def test_witnesses_show_the_bug(own: list[AnyRule], rules: list[AnyRule]) -> None:
    for rule in own:
        [witness] = witnesses_of(rule)
        assert rule.code in [code for code, _ in found(rules, witness.buggy.encode())]
        assert found(rules, witness.fixed.encode()) == []


def test_rule_masks_only_what_it_says(rules: list[AnyRule]) -> None:
    assert found(rules) == [("ACME001", 4), ("ACME002", 5), ("DEV201", 6)]


def test_command_uses_the_pack(site: Path, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(PROGRAM)
    paths = [str(site), str(PACK), *filter(None, [os.environ.get("PYTHONPATH")])]
    command = [sys.executable, "-m", "devlint", "--isolated", "--select", "ACME", "a.py"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stderr
    assert "a.py:4:5: ACME001 error" in done.stdout
    assert "a.py:5:5: ACME002 warning" in done.stdout


def test_crash_of_an_analysis_is_an_internal_error_and_stops_nothing_else(
    rules: list[AnyRule], monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(analysis: object, signal: Transferred) -> NoReturn:
        raise ValueError("in a pack")

    analysis: Any = importlib.import_module("acme_rules.round_trip.analysis")
    monkeypatch.setattr(analysis.RoundTrips, "transfer", on(Transferred)(crash))
    checked = check("a.py", PROGRAM, [rule() for rule in rules if not rule.is_opt_in])
    codes = [finding.code for finding in checked.findings]
    assert codes == ["DEV999", "ACME001", "DEV201"]
    message = "internal error in RoundTrips: ValueError: in a pack"
    assert checked.findings[0].message == message
    assert 'raise ValueError("in a pack")' in checked.traceback


def test_pack_is_typed() -> None:
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", str(PACK / "acme_rules")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert (PACK / "acme_rules" / "py.typed").is_file()


@pytest.mark.parametrize(
    "name", ["mixed_sum.py", "witnesses/mixed_sum.md", "round_trip/analysis.py"]
)
def test_guide_shows_the_pack_as_it_is(name: str) -> None:
    guide = (ROOT / "rules" / "README.md").read_text()
    assert f"\n{(PACK / 'acme_rules' / name).read_text()}```" in guide


def test_pack_imports_the_api_alone() -> None:
    lines = [
        line
        for path in PACK.rglob("*.py")
        for line in path.read_text().splitlines()
        if line.startswith(("from devlint", "import devlint"))
    ]
    assert lines
    assert all(line.startswith("from devlint.api import ") for line in lines)
