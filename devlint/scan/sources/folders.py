"""Folders on disk, those that git ignores left out; links to folders are not followed."""

from __future__ import annotations

import os
from collections.abc import Iterator

from devlint.files.discover import is_file
from devlint.files.gitignore import Ignored, above, is_root
from devlint.scan.tree import Tree
from devlint.text.reading import read as read_file
from devlint.text.reading import reason


def read(place: str, tree: Tree) -> None:
    """Take in the files below a folder. Raises `ProjectError`, where it is too large."""
    tree.is_repository = is_root(place)
    for path, size in files(place, tree):
        if (name := tree.chosen(os.path.relpath(path, place), size)) is None:
            continue
        try:
            tree.add(name, read_file(path))
        except OSError as error:
            tree.refuse(name, error)


def files(place: str, tree: Tree) -> Iterator[tuple[str, int]]:
    """The files below a folder, with their sizes."""
    pending: list[tuple[str, Ignored]] = [(place, above(place))]
    while pending:
        folder, outer = pending.pop()
        try:
            with os.scandir(folder) as found:
                entries = sorted(found, key=lambda each: each.name)
        except OSError as error:
            tree.passed[os.path.relpath(folder, place)] = f"cannot read: {reason(error)}"
            continue
        names = {each.name for each in entries}
        if "pyvenv.cfg" in names and folder != place:
            continue  # A virtual environment of any name.
        ignored = outer.inside(folder) if ".gitignore" in names else outer
        for entry in entries:
            is_folder = entry.is_dir(follow_symlinks=False)
            if tree.choice.respects_git and ignored.ignores(entry.path, is_folder=is_folder):
                continue
            if not is_folder:
                yield from [(entry.path, entry.stat().st_size)] if is_file(entry) else ()
            elif tree.choice.enters(os.path.relpath(entry.path, place).replace(os.sep, "/")):
                pending.append((entry.path, ignored))
