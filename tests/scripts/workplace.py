"""A copy of a repository in which a script can run: its data, and what is changed in it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from . import data
from .facts import Change, Script

_STUBS = Path(__file__).parent / "stubs"
_ROOT = Path(__file__).parents[2]


class MissingError(Exception):
    """A fact says what the repository does not have."""


@contextmanager
def workplace(script: Script, repositories: Path, more: Iterable[Change] = ()) -> Iterator[Path]:
    """The root of the copy.

    Raise `MissingError` where the repository or a text to change is not there.
    """
    repository = repositories / script.folder
    if not (repository / script.path).is_file():
        raise MissingError(f"{repository / script.path}: no such file")
    with TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "copy"
        shutil.copytree(repository, root, ignore=_without_python)
        for change in (*script.changes, *more):
            apply(change, root)
        for maker, path, *options in script.data:
            getattr(data, maker)((root / script.path).parent / path, *options)
        yield root


def _without_python(folder: str, names: list[str]) -> set[str]:
    """Only modules are copied: what else a script reads is made."""
    paths = [Path(folder, name) for name in names]
    return {path.name for path in paths if path.suffix != ".py" and not path.is_dir()} | {".git"}


def apply(change: Change, root: Path) -> None:
    path = root / change.file
    text = path.read_text(encoding="utf-8")
    if text.count(change.old) != 1:
        found = text.count(change.old)
        raise MissingError(f"{change.file}: {change.old!r} is there {found} times, not once")
    path.write_text(text.replace(change.old, change.new), encoding="utf-8")


def environment(root: Path) -> dict[str, str]:
    """One thread, for CPU time that can be compared; nothing from the network."""
    paths = [str(_ROOT), str(_ROOT / "rules"), str(root), str(_STUBS)]
    return os.environ | {
        "PYTHONPATH": os.pathsep.join(paths),
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "MPLBACKEND": "Agg",
        "HF_HUB_OFFLINE": "1",
        "CUDA_VISIBLE_DEVICES": "",
    }
