"""What a child process of `devlint shift` is to do, and what it tells of, as plain data."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from devlint.confirm.dry_run.request import Lines, Papers

#: How subjects begin that are imports of modules.
IMPORT = "the import of "


@dataclass(frozen=True, slots=True)
class Run:
    """One call of a module, in training or not, and whether its result is differentiated."""

    is_training: bool
    is_differentiated: bool


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a class is built and called on the CPU: `build` and `inputs` are Python."""

    subject: str
    build: str
    inputs: str
    runs: tuple[Run, ...]

    @property
    def call(self) -> str:
        return f"{self.build}({self.inputs})"

    @staticmethod
    def of(told: dict[str, Any]) -> Recipe:
        return Recipe(**{**told, "runs": tuple(Run(**each) for each in told["runs"])})


@dataclass(frozen=True, slots=True)
class Order:
    """`is_shifted`: shift the recipes and the examples, instead of looking for those that run.

    `passed`: the subjects that are done, or that ended an earlier process. `watched`: the lines
    of which it is told whether they ran.
    """

    package: str
    is_shifted: bool = False
    has_functions: bool = False
    passed: tuple[str, ...] = ()
    recipes: tuple[Recipe, ...] = ()
    examples: tuple[str, ...] = ()
    watched: tuple[Lines, ...] = ()

    @staticmethod
    def read(papers: Papers) -> Order:
        with open(papers.assignment, encoding="utf-8") as file:
            told: dict[str, Any] = json.load(file)
        recipes = tuple(map(Recipe.of, told.pop("recipes")))
        watched = tuple((path, first, last) for path, first, last in told.pop("watched"))
        passed, examples = tuple(told.pop("passed")), tuple(told.pop("examples"))
        lists = {"passed": passed, "examples": examples, "recipes": recipes, "watched": watched}
        return Order(**{**told, **lists})
