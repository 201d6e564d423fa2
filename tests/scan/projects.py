"""Small projects as folders, archives and repositories."""

from __future__ import annotations

import io
import subprocess
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

from devlint.scan.analysis import analysed
from devlint.scan.choice import ProjectChoice
from devlint.scan.result import Result
from devlint.scan.sources import reader
from devlint.scan.sources.listing import units
from devlint.scan.unit import Unit
from devlint.settings import Configuration

ISOLATED = Configuration({"cache": False, "jobs": 1}, is_isolated=True)
#: The batch that one file makes is a finding where another one puts the model on an accelerator.
PROJECT = {
    "pyproject.toml": b'[tool.devlint]\nignore = ["DEV201"]\n',
    "pack/__init__.py": b"",
    "pack/data.py": b"import torch\n\n\ndef load():\n    return torch.ones(3)\n",
    "pack/train.py": b"import torch\n\nfrom pack.data import load\n\n"
    b'weights = torch.ones(3, device="cuda")\nscaled = weights * load()\n',
    "README.md": b"import torch",
}


def folder(path: Path, files: Mapping[str, bytes] = PROJECT) -> Path:
    for name, data in files.items():
        file = path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    return path


def zipped(path: Path, files: Mapping[str, bytes] = PROJECT) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def tarred(path: Path, files: Mapping[str, bytes] = PROJECT) -> Path:
    mode = "w:gz" if path.name.endswith("gz") else "w"
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return path


def git(top: Path, *words: str) -> str:
    known = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    command = ["git", "-C", str(top), *known, *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def repository(path: Path, files: Mapping[str, bytes] = PROJECT) -> Path:
    folder(path, files)
    git(path, "init", "-q")
    git(path, "add", ".")
    git(path, "commit", "-qm", "one")
    return path


def only(source: str) -> Unit:
    """The one project of a source."""
    [unit] = units([source])
    return unit


def result(unit: Unit, configuration: Configuration = ISOLATED) -> Result:
    return analysed(unit, reader.tree(unit, ProjectChoice(configuration)), configuration)


def places(one: Result) -> list[tuple[str, int, str]]:
    return [(row["path"], row["line"], row["code"]) for row in one.findings]


def failures(one: Result) -> dict[str | None, str]:
    return {row["path"]: row["reason"] for row in one.failures}
