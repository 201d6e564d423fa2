"""Where a problem stands whose cause is in a method that overrides one of a base: there, and not in
the base, which serves other classes well."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from devlint.lower import ir
from devlint.lower.lowered import number_of
from devlint.lower.walk import by_type, walk
from devlint.queries.name_conventions import is_self
from devlint.rule.problem import Problem


def at_cause(problem: Problem, modules: Mapping[int | None, ir.Module]) -> Problem:
    """The problem, at the method that overrides; `modules` are those of the nodes, by the numbers
    of their sources."""
    found = next(causes(problem, modules), None)
    if found is None:
        return problem
    cause, owner, method = found
    where = f"{owner.name}.{method.name}"
    return replace(
        problem,
        node=cause,
        message=f"what is made here comes to `{where}`, where {problem.message}",
        related=tuple(each for each in problem.related if each[0] is not cause),
        later=((problem.node, f"`{where}` uses it here"), *problem.later),
        fault=problem.fault or problem.node,
        fix=None,
    )


def causes(
    problem: Problem, modules: Mapping[int | None, ir.Module]
) -> Iterator[tuple[ir.Node, ir.Class, ir.Def]]:
    """Related places in overriding methods, and the class and method that the problem is in."""
    home = method_of(problem.node, modules) if problem.related else None
    if home is None:
        return
    owner, method = home
    for node, _ in problem.related:
        other = method_of(node, modules)
        if other is not None and overrides(other, owner) and calls(method, other[1].name):
            yield node, owner, method


def overrides(other: tuple[ir.Class, ir.Def], owner: ir.Class) -> bool:
    """Whether a method of another class has the name of one of this class."""
    names = {each.name for each in methods(owner)}
    return other[0] is not owner and other[1].name in names


def calls(method: ir.Def, name: str) -> bool:
    """Whether a method mentions another one of its object."""
    nodes = walk(method) if name in method.words else ()
    attributes = (each for each in nodes if isinstance(each, ir.Attribute) and each.name == name)
    return any(is_self(each.value) for each in attributes)


def method_of(
    node: ir.Node, modules: Mapping[int | None, ir.Module]
) -> tuple[ir.Class, ir.Def] | None:
    """The method that a node is in, with its class."""
    module = modules.get(number_of(node))
    return None if module is None else in_methods(module).get(node)


@lru_cache(maxsize=2)
def in_methods(module: ir.Module) -> Mapping[ir.Node, tuple[ir.Class, ir.Def]]:
    """The nodes of the methods of a program, each with its outermost class and method."""
    found: dict[ir.Node, tuple[ir.Class, ir.Def]] = {}
    for owner in by_type(module)[ir.Class]:
        for method in methods(owner):
            for each in walk(method):
                found.setdefault(each, (owner, method))
    return found


def methods(owner: ir.Class) -> Iterable[ir.Def]:
    return (each for each in owner.body if isinstance(each, ir.Def))
