"""Installed packages whose source is read as that of a project: nothing of them is imported."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from glob import escape, glob
from urllib.parse import unquote, urlsplit

from devlint.settings import Configuration

#: By what environments are told that are active.
ACTIVE = ("VIRTUAL_ENV", "CONDA_PREFIX")
#: Where projects have theirs.
USUAL = (".venv", "venv")
#: Where an environment has its packages.
SITES = (
    os.path.join("lib", "python3.*", "site-packages"),
    os.path.join("Lib", "site-packages"),
)


@dataclass(frozen=True, slots=True)
class Installed:
    """The `packages` to read, by the names under which they are imported, and the `folders` in
    which to look for them."""

    packages: frozenset[str] = frozenset()
    folders: tuple[str, ...] = ()

    def has(self, path: str) -> bool:
        """Whether a file is one of theirs."""
        return any(
            path.startswith(os.path.join(folder, package + end))
            for folder in self.folders
            for package in self.packages
            for end in (os.sep, ".py")
        )

    @property
    def missing(self) -> list[str]:
        """The packages of which no source is there."""
        return [each for each in sorted(self.packages) if not any(self._places(each))]

    def _places(self, package: str) -> Iterator[str]:
        for folder in self.folders:
            path = os.path.join(folder, package)
            yield from filter(os.path.exists, (path, f"{path}.py"))


NOTHING = Installed()


def installed(configuration: Configuration) -> Installed:
    """What the settings of a run ask for."""
    packages = configuration.overall.follow_installed
    if not packages:
        return NOTHING
    root = configuration.scope(os.getcwd()).root
    return Installed(frozenset(packages), tuple(dict.fromkeys(folders(root))))


def folders(root: str) -> Iterator[str]:
    """Where packages may be installed, first those of the environment that is active, then those of
    the project in `root`, then those that devlint itself sees."""
    for site in sites(root):
        yield site
        yield from linked(site)


def sites(root: str) -> Iterator[str]:
    active = (os.environ.get(name, "") for name in ACTIVE)
    usual = (os.path.join(root, name) for name in USUAL)
    for environment in filter(None, (*active, *usual)):
        for pattern in SITES:
            yield from sorted(glob(os.path.join(escape(os.path.abspath(environment)), pattern)))
    yield from (each for each in sys.path if each.endswith("-packages") and os.path.isdir(each))


def linked(site: str) -> Iterator[str]:
    """The folders of what is installed to be edited in place."""
    for path in sorted(glob(os.path.join(escape(site), "*.pth"))):
        yield from filter(os.path.isdir, (os.path.join(site, line) for line in lines(path)))
    for path in sorted(glob(os.path.join(escape(site), "*.dist-info", "direct_url.json"))):
        if folder := edited("\n".join(lines(path))):
            yield from filter(os.path.isdir, (folder, os.path.join(folder, "src")))


def lines(path: str) -> Iterable[str]:
    with suppress(OSError, ValueError), open(path, encoding="utf-8") as file:
        return file.read(1_000_000).splitlines()
    return []


def edited(told: str) -> str:
    """The folder that a distribution is edited in, by its PEP 610 record; empty for any other."""
    with suppress(ValueError, AttributeError, TypeError):
        known = json.loads(told)
        if known["dir_info"].get("editable") is True:
            return os.path.normpath(unquote(urlsplit(known["url"]).path))
    return ""
