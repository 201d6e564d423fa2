"""The recipe for Ray Data finds what a scan finds."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from click.testing import CliRunner

pq = pytest.importorskip("pyarrow.parquet")

from devlint.cli import main  # noqa: E402
from tests.documents import blocks  # noqa: E402
from tests.scan.projects import PROJECT, tarred, zipped  # noqa: E402


# To import ray here would change the path that modules are looked for on.
@pytest.mark.skipif(find_spec("ray") is None, reason="there is no ray")
def test_recipe_gives_the_rows_of_a_scan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    Path("wheels").mkdir()
    zipped(Path("wheels", "a.whl"))
    zipped(Path("wheels", "b.whl"), {"a.py": PROJECT["pack/data.py"]})
    tarred(Path("wheels", "c.tar.gz"))
    [recipe] = [block for block in blocks("python") if block.file == "ray_scan.py"]
    Path("ray_scan.py").write_text(recipe.text)
    subprocess.run([sys.executable, "ray_scan.py"], check=True, capture_output=True, timeout=600)
    assert CliRunner().invoke(main, ["scan", "wheels", "--out", "out"]).exit_code == 0
    found, known = (pq.read_table(name).to_pylist() for name in ("findings", "out/findings"))
    assert sorted(found, key=lambda row: str(row["project"])) == known
    assert len(known) == 2
