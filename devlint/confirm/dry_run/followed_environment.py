"""The environment by which Python that a program starts is watched, too."""

from __future__ import annotations

import os
from collections.abc import Mapping

#: The folder with the papers of the dry run.
VARIABLE = "DEVLINT_DRY_RUN"
#: Python runs the `sitecustomize.py` in it when it starts.
STARTUP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "startup")
_PATH = "PYTHONPATH"


def followed(environment: Mapping[str, str], folder: str) -> dict[str, str]:
    """That of what is watched by the papers in `folder`."""
    rest = _path(environment)
    return {**environment, VARIABLE: folder, _PATH: os.pathsep.join([STARTUP, *rest])}


def unfollowed(environment: Mapping[str, str]) -> dict[str, str]:
    """As it is without a dry run."""
    kept = {name: value for name, value in environment.items() if name not in (VARIABLE, _PATH)}
    rest = _path(environment)
    return {**kept, _PATH: os.pathsep.join(rest)} if rest else kept


def is_led_astray(environment: Mapping[str, str]) -> bool:
    """Whether it is that of a dry run, whose program has set another path."""
    return VARIABLE in environment and STARTUP not in _entries(environment)


def _path(environment: Mapping[str, str]) -> list[str]:
    return [each for each in _entries(environment) if each != STARTUP]


def _entries(environment: Mapping[str, str]) -> list[str]:
    path = environment.get(_PATH)
    return path.split(os.pathsep) if path else []
