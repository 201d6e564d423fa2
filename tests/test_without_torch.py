"""Where there is no torch, the tests that need it are left out, and no file of tests fails."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_every_file_of_tests_is_collected_where_there_is_no_torch(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text('import sys; sys.modules["torch"] = None\n')
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    collect = [sys.executable, "-m", "pytest", "--collect-only", "-qq", "-p", "no:cacheprovider"]
    collected = subprocess.run(
        collect, cwd=ROOT, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True
    )
    assert collected.returncode == 0, collected.stdout
    assert "tests/test_specs.py" in collected.stdout
