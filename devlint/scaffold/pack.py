"""A pack in a folder, and the files of a rule in it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from importlib.resources import files
from string import Template
from typing import NamedTuple

from devlint.settings.file import parsed

POINT = "devlint.rules"
NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)+")
CODE = re.compile(r"^\s*code = \"([A-Z]+)(\d+)\"", re.M)


class ScaffoldError(Exception):
    """What stands in the way of a new rule, in one line."""


class Pack(NamedTuple):
    """Where rules go: a `package` in a `folder`, whose codes begin with `letters`."""

    folder: str
    package: str
    letters: str
    is_new: bool

    @classmethod
    def at(cls, folder: str) -> Pack:
        """The pack in a folder, or one to be made there. Raises `ScaffoldError` or `OSError`."""
        base = re.sub(r"\W+", "_", os.path.basename(os.path.abspath(folder)).lower()).strip("_")
        project = os.path.join(folder, "pyproject.toml")
        if not os.path.exists(project):
            stem = base.removesuffix("_rules") or "my"
            return cls(folder, f"{stem}_rules", letters_of(stem), is_new=True)
        with open(project, encoding="utf-8") as file:
            points = parsed(file.read()).get("project", {}).get("entry-points", {}).get(POINT)
        if not points:
            raise ScaffoldError(
                f'{project} names no pack: it has no [project.entry-points."{POINT}"]'
            )
        package = str(next(iter(points.values())))
        return cls(folder, package, letters_of(package.removesuffix("_rules")), is_new=False)

    @property
    def codes(self) -> list[tuple[str, int]]:
        """Those of the rules that are there, as letters and numbers."""
        found = []
        for path in sources(os.path.join(self.folder, self.package)):
            with open(path, encoding="utf-8") as file:
                found += [(letters, int(number)) for letters, number in CODE.findall(file.read())]
        return found

    @property
    def next_code(self) -> str:
        codes = self.codes
        letters = codes[0][0] if codes else self.letters
        return f"{letters}{max((number for _, number in codes), default=0) + 1:03}"


def letters_of(stem: str) -> str:
    return re.sub("[^A-Z]", "", stem.upper())[:4] or "MY"


def sources(folder: str) -> Iterator[str]:
    for top, _, names in os.walk(folder):
        yield from (os.path.join(top, name) for name in sorted(names) if name.endswith(".py"))


def new_rule(pack: Pack, name: str) -> Mapping[str, str]:
    """The files of a new rule, by their paths. Raises `ScaffoldError` or `OSError`."""
    if not NAME.fullmatch(name):
        raise ScaffoldError(
            f"{name!r} is not a rule's name: write two words or more, as lost-batch"
        )
    module = name.replace("-", "_")
    values = {
        "name": name,
        "title": name.replace("-", " ").capitalize(),
        "code": pack.next_code,
        "class_name": "".join(map(str.capitalize, name.split("-"))),
        "package": pack.package,
        "key": pack.package.removesuffix("_rules"),
        "distribution": pack.package.replace("_", "-"),
    }
    wanted = {f"{pack.package}/{module}.py": "rule", f"specs/{module}.md": "spec"}
    if pack.is_new:
        wanted["pyproject.toml"] = "pyproject"
    if not os.path.exists(os.path.join(pack.folder, "tests", "test_rules.py")):
        wanted["tests/test_rules.py"] = "test"
    made = {os.path.join(pack.folder, path): filled(each, values) for path, each in wanted.items()}
    if pack.is_new:
        package = os.path.join(pack.folder, pack.package)
        made[os.path.join(package, "__init__.py")] = '"""Rules for devlint."""\n'
        made[os.path.join(package, "py.typed")] = ""
    for path in filter(os.path.lexists, made):
        raise ScaffoldError(f"{path} is there already")
    return made


def filled(template: str, values: Mapping[str, str]) -> str:
    text = files("devlint.scaffold") / "templates" / f"{template}.txt"
    return Template(text.read_text(encoding="utf-8")).substitute(values)
