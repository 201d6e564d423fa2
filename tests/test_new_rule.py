"""`devlint new-rule` writes a rule that works, in a pack that is there or new."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from devlint.cli import main
from devlint.settings.file import parsed


def devlint(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["new-rule", *arguments])


def installed(pack: Path, site: Path) -> dict[str, str]:
    """An environment in which a pack counts as installed."""
    project = parsed((pack / "pyproject.toml").read_text())["project"]
    about = site / f"{project['name'].replace('-', '_')}-0.1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Name: {project['name']}\nVersion: 0.1.0\n")
    points = project["entry-points"]["devlint.rules"].items()
    lines = "".join(f"{name} = {package}\n" for name, package in points)
    (about / "entry_points.txt").write_text(f"[devlint.rules]\n{lines}")
    path = os.pathsep.join([str(pack), str(site), *filter(None, sys.path)])
    return {**os.environ, "PYTHONPATH": path}


def test_a_new_pack_works_as_it_is_written(tmp_path: Path) -> None:
    pack = tmp_path / "acme"
    assert devlint("lost-batch", "--pack", str(pack)).exit_code == 0
    assert devlint("late-move", "--pack", str(pack)).exit_code == 0
    codes = [
        (pack / "acme_rules" / f"{name}.py").read_text() for name in ("lost_batch", "late_move")
    ]
    assert ['code = "ACME001"' in codes[0], 'code = "ACME002"' in codes[1]] == [True, True]
    # Two rules that say the same of one fault: the second watches another operation.
    second = pack / "acme_rules" / "late_move.py"
    second.write_text(second.read_text().replace('"*"', '"-"').replace("x * ", "x - "))
    spec = pack / "specs" / "late_move.md"
    spec.write_text(spec.read_text().replace(" * ", " - "))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]
    environment = installed(pack, tmp_path / "site")
    told = subprocess.run(command, cwd=pack, env=environment, capture_output=True, text=True)
    assert told.returncode == 0, told.stdout
    assert "8 passed" in told.stdout


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    pack = tmp_path / "acme"
    devlint("lost-batch", "--pack", str(pack))
    rule = pack / "acme_rules" / "lost_batch.py"
    rule.write_text("# mine\n")
    result = devlint("lost-batch", "--pack", str(pack))
    assert result.exit_code == 2
    assert result.stderr.endswith("lost_batch.py is there already\n")
    assert rule.read_text() == "# mine\n"


@pytest.mark.parametrize("name", ["Lost-Batch", "lost", "lost_batch", "../x-y", "lost-batch.py"])
def test_a_name_that_no_rule_has_is_refused(tmp_path: Path, name: str) -> None:
    result = devlint(name, "--pack", str(tmp_path))
    assert (result.exit_code, [*tmp_path.iterdir()]) == (2, [])
    assert result.stderr == (
        f"error: {name!r} is not a rule's name: write two words or more, as lost-batch\n"
    )


def test_a_project_that_is_no_pack_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    result = devlint("lost-batch", "--pack", str(tmp_path))
    assert result.exit_code == 2
    assert 'names no pack: it has no [project.entry-points."devlint.rules"]' in result.stderr
    assert len([*tmp_path.iterdir()]) == 1
