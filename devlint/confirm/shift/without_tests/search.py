"""Looks on the CPU for ways to build and to call the classes of a package, and runs examples."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from types import ModuleType
from typing import Any

from devlint.confirm.shift.without_tests import survey
from devlint.confirm.shift.without_tests.arguments import TASTES, Arguments, Taste
from devlint.confirm.shift.without_tests.calls import (
    Names,
    built,
    called,
    differentiable,
    performed,
    start_anew,
)
from devlint.confirm.shift.without_tests.examples import Example, example
from devlint.confirm.shift.without_tests.inputs import inputs
from devlint.confirm.shift.without_tests.request import Recipe, Run
from devlint.confirm.shift.without_tests.telling import Telling

#: Calls that are tried for a class, and for one way to build it; seconds that they may take.
_CALLS = 300
_CALLS_OF_A_BUILD = 60
_SECONDS = 8.0


class Search:
    """Of one class: the first way that runs to its end."""

    def __init__(self, subject: str, kind: Any, names: Names, telling: Telling) -> None:
        self._subject, self._kind, self._telling = subject, kind, telling
        self._names = names.of(kind)
        self._arguments = Arguments(self._names, names.modules)
        self._until = time.monotonic() + _SECONDS
        self._left = _CALLS
        self.is_built = False
        self.why = self._last = ""

    def recipe(self) -> Recipe | None:
        seen = {""}
        for taste in TASTES:
            build, net = self._built(taste, seen)
            if net is not None:
                self.why = self.why if self.is_built else ""
                self.is_built = True
                recipe = self._called(net, build)
                if recipe or self._is_over:
                    return recipe
        return None

    def _built(self, taste: Taste, seen: set[str]) -> tuple[str, Any]:
        """A new one, and how; parameters that an error asks for are given as well."""
        while (build := self._arguments.build(self._kind, taste)) not in seen:
            seen.add(build)
            net = self._attempt(build, partial(built, build, self._names))
            if net is not None:
                return build, net
            if self._is_over:
                break
            self._arguments.ask(self._last)
        return "", None

    def _called(self, net: Any, build: str) -> Recipe | None:
        for number, given in enumerate(inputs(net, build, self._arguments)):
            if self._is_over or number >= _CALLS_OF_A_BUILD:
                return None
            self._left -= 1
            doing = f"{build}({given})"
            result = self._attempt(doing, partial(called, net, given, self._names))
            if result and (runs := self._runs(build, given, result)):
                return Recipe(self._subject, build, given, runs)
        return None

    def _runs(self, build: str, given: str, result: Any) -> tuple[Run, ...]:
        """Those that end well, each on a module of its own."""
        recipe = Recipe(self._subject, build, given, ())
        found = []
        for is_training in (True, False):
            for is_differentiated in [True, False] if differentiable(result) else [False]:
                run = Run(is_training, is_differentiated)
                done = self._attempt(recipe.call, partial(performed, recipe, run, self._names))
                if done:
                    found.append(done)
                    break
        return tuple(found)

    @property
    def _is_over(self) -> bool:
        return self._left <= 0 or time.monotonic() > self._until

    def _attempt(self, doing: str, do: Any) -> Any:
        """What it gives, if it ends well."""
        self._telling.begin(self._subject, doing)
        start_anew()
        try:
            return do()
        except BaseException as error:
            self._last = survey.reason(error)
            self.why = self.why or f"{doing}: {self._last}"
            return None


def search(modules: dict[str, ModuleType], telling: Telling) -> None:
    """Tell of each class and each example how it fares on the CPU."""
    names = Names(survey.public(modules), modules)
    classes = survey.classes(modules)
    found = [*examples(modules)]
    telling.tell("found", classes=[*classes], examples=[each.subject for each in found])
    for each in found:
        if not telling.has_passed(each.subject):
            _try_example(each, telling)
    for subject, kind in classes.items():
        if not telling.has_passed(subject):
            looking = Search(subject, kind, names, telling)
            recipe = _recipe(looking, subject, telling)
            told = {"is_built": looking.is_built, "why": "" if recipe else looking.why}
            telling.tell("tried", **told, subject=subject, recipe=recipe and asdict(recipe))


def _recipe(looking: Search, subject: str, telling: Telling) -> Recipe | None:
    """That of a class; a module may well be one that it cannot be asked about."""
    try:
        return looking.recipe()
    except Exception as error:
        telling.tell("broke", subject=subject, why=f"cannot be asked: {survey.reason(error)}")
        return None


def examples(modules: dict[str, ModuleType]) -> Iterator[Example]:
    for name, module, docstring in survey.documented(modules):
        if found := example(name, module, docstring):
            yield found


def _try_example(each: Example, telling: Telling) -> None:
    telling.begin(each.subject)
    start_anew()
    why = ""
    try:
        each.run()
    except BaseException as error:
        why = survey.reason(error)
    telling.tell("exemplified", subject=each.subject, why=why)
