"""Which programs are tests."""

from __future__ import annotations

from pathlib import PurePath

from devlint.lower import ir
from devlint.lower.walk import packages
from devlint.project.project import Source
from devlint.queries.name_conventions import (
    names_test,
    names_test_file,
    names_test_framework,
)


def is_test_code(path: str, module: ir.Module) -> bool:
    """Whether a program is one that a framework for tests runs: it has tests where pytest looks for
    them, or uses such a framework. An evaluation that is called `test.py`, or has a function
    `test`, is none."""
    if any(map(names_test_framework, packages(module.body))):
        return True
    tests = (each for each in module.body if isinstance(each, (ir.Def, ir.Class)))
    return names_test_file(PurePath(path).name) and any(map(is_test, tests))


def is_of_tests(source: Source) -> bool:
    return is_test_code(source.module.path, source.lowered.module)


def is_test(definition: ir.Def | ir.Class) -> bool:
    """Whether pytest collects a function, or a class for a method of it; a base may be a case."""
    if isinstance(definition, ir.Def):
        return names_test(definition.name)
    methods = (each.name for each in definition.body if isinstance(each, ir.Def))
    is_case = definition.name.startswith("Test") or bool(definition.bases)
    return is_case and any(map(names_test, methods))
