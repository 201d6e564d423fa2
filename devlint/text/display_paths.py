"""Paths as people and reports are shown them."""

from __future__ import annotations

import os

#: Where CI has checked the repository out, which is what its readers take paths from.
CHECKOUTS = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR", "BUILD_SOURCESDIRECTORY")


def shown(path: str) -> str:
    """Relative to the working directory when below it."""
    below = os.path.join(os.getcwd(), "")
    return path[len(below) :] if path.startswith(below) else path


def relative(path: str, folder: str = "") -> str:
    """The path from a folder, the working directory if none is named; absolute if it is outside.

    It has slashes on every system.
    """
    way = route(path, folder)
    return slashed(os.path.abspath(path)) if way.split("/")[0] == os.pardir else way


def route(path: str, folder: str) -> str:
    """The way from a folder to the path, also where it leads out of the folder; with slashes."""
    whole = os.path.abspath(path)
    try:
        return slashed(os.path.relpath(whole, folder or os.curdir))
    except ValueError:  # Another drive.
        return slashed(whole)


def slashed(path: str) -> str:
    return path.replace(os.sep, "/")


def checkout() -> str:
    """The folder of the repository where CI names it, else the working directory."""
    return next(filter(None, map(os.environ.get, CHECKOUTS)), "")
