"""Run the tests without torch on every other supported Python, each in a `.venv-3.x`."""

from __future__ import annotations

import os
import shutil
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
        python = next(filter(runs, candidates(version)), None)
        print(f"Python {version}: {python or 'not found'}", flush=True)
        if python and not passes(python, version):
            failed.append(version)
    if failed:
        print(f"failed on Python {', '.join(failed)}", file=sys.stderr)
    return int(bool(failed))


def candidates(version: str) -> Iterator[Path]:
    """What PATH has under the version's name, then what a pyenv on PATH keeps of it."""
    for folder in os.get_exec_path():
        candidate = Path(folder, f"python{version}")
        if os.access(candidate, os.X_OK):
            yield candidate
    if pyenv := shutil.which("pyenv"):
        root = subprocess.run([pyenv, "root"], capture_output=True, text=True, check=True).stdout
        yield from sorted(Path(root.strip(), "versions").glob(f"{version}.*/bin/python{version}"))


def runs(python: Path) -> bool:
    """pyenv's shims are there but fail while their version is not active."""
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
    return subprocess.run([inside, "-m", "pytest", "-q", "-n", "auto"], cwd=ROOT).returncode == 0


if __name__ == "__main__":
    sys.exit(main())
