"""What the text of a module imports, read without parsing it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from devlint.project.modules import Module
from devlint.project.project import Place

FROM = re.compile(
    r"^[ \t]*from[ \t]+(?P<module>[.\w]+)[ \t]+import[ \t]*(?P<names>\([^)]*|[^\n#]*)", re.M
)
WHOLE = re.compile(r"^[ \t]*import[ \t]+(?P<names>[^\n#]+)", re.M)
NAME = re.compile(r"(?P<name>[.\w]+)(?:\s+as\s+\w+)?")


def imports(text: str) -> Iterator[tuple[str, str]]:
    """The dotted names of modules that a text imports, each with what it takes of it, if it names
    something. What only looks like an import may be among them."""
    for found in FROM.finditer(text):
        for name in NAME.finditer(found["names"]):
            yield found["module"], name["name"]
    for found in WHOLE.finditer(text):
        for name in NAME.finditer(found["names"]):
            yield name["name"], ""


def binds(text: str, name: str) -> bool:
    """Whether a line of a text defines a name, assigns it or imports it."""
    if name not in text:
        return False
    defined = rf"^[ \t]*(?:(?:def|class)[ \t]+{name}\b|{name}[ \t]*[:=])|\bas[ \t]+{name}\b"
    is_defined = re.search(defined, text, re.M) is not None
    return is_defined or any(taken == name for _, taken in imports(text))


def decorates(text: str, name: str) -> bool:
    """Whether a line of a text decorates with a name, or with something of what it stands for."""
    return f"@{name}" in text and re.search(rf"^[ \t]*@{name}\b", text, re.M) is not None


def used_by(place: Place) -> Iterator[Module]:
    """The modules of its project that a program imports, by its text."""
    for dotted, name in imports(place.text):
        if (found := place.find(dotted)) is not None:
            yield found
            inner = place.project.modules.submodule(found, name) if name else None
            if inner is not None:
                yield inner


def uses_project(place: Place) -> bool:
    """Whether a program imports a module of its project."""
    return next(used_by(place), None) is not None
