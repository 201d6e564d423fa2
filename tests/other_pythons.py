"""Run the tests on every other supported Python on PATH, in a `.venv-3.x` each, without torch."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
VERSIONS = ("3.10", "3.11", "3.12", "3.13")


def main() -> int:
    this = "{}.{}".format(*sys.version_info)
    failed = []
    for version in (each for each in VERSIONS if each != this):
        python = next(filter(runs, on_path(f"python{version}")), None)
        print(f"Python {version}: {python or 'not found'}", flush=True)
        if python and not passes(python, version):
            failed.append(version)
    if failed:
        print(f"failed on Python {', '.join(failed)}", file=sys.stderr)
    return int(bool(failed))


def on_path(name: str) -> Iterator[Path]:
    for folder in os.get_exec_path():
        candidate = Path(folder, name)
        if os.access(candidate, os.X_OK):
            yield candidate


def runs(python: Path) -> bool:
    """A version manager's shim is there but fails while its version is not active."""
    return subprocess.run([python, "-c", "import venv"], capture_output=True).returncode == 0


def passes(python: Path, version: str) -> bool:
    venv = ROOT / f".venv-{version}"
    inside, installed = venv / "bin" / "python", venv / "installed"
    wanted = (ROOT / "pyproject.toml").read_text()
    if not installed.exists() or installed.read_text() != wanted:
        subprocess.run([python, "-m", "venv", venv], check=True)
        install = ["-m", "pip", "--disable-pip-version-check", "install", "-q", "-e"]
        subprocess.run([inside, *install, f"{ROOT}[test]"], check=True)
        installed.write_text(wanted)
    return subprocess.run([inside, "-m", "pytest", "-q"], cwd=ROOT).returncode == 0


if __name__ == "__main__":
    sys.exit(main())
