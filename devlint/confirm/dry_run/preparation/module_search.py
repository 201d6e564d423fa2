"""Finds modules as a program's imports will, and imports none."""

from __future__ import annotations

import os
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec


def found_module(name: str, folder: str = "") -> ModuleSpec | None:
    """The module, looked for in a folder (the working directory) and then where Python does.

    Only what is at the top may be found by finders that installations have registered: to ask
    them for a module imports the packages that it is in.
    """
    top, *inner = name.split(".")
    found = PathFinder.find_spec(top, [folder or os.getcwd()]) or _top(top)
    for part in inner:
        if found is None or found.submodule_search_locations is None:
            return None
        top = f"{top}.{part}"
        found = PathFinder.find_spec(top, found.submodule_search_locations)
    return found


def main_module(name: str) -> ModuleSpec | None:
    """What `python -m name` runs: the module, of a package its `__main__`."""
    found = found_module(name)
    is_package = found is not None and found.submodule_search_locations is not None
    return found_module(f"{name}.__main__") if is_package else found


def _top(name: str) -> ModuleSpec | None:
    try:
        return find_spec(name)
    except (ImportError, ValueError):  # A module that has no spec is there all the same.
        return None
