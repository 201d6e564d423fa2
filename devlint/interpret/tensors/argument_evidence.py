"""Which names of the functions of a program are evidently tensors, by what these do with them, and
by what the functions do that are handed them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from devlint.interpret.core.relevance import Seeds
from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.queries.module_functions import argument
from devlint.queries.name_conventions import is_self
from devlint.queries.tensor_evidence import shown_to_be_tensors


class ArgumentEvidence:
    """What is found of the functions of one module."""

    def __init__(self, seeds: Seeds) -> None:
        self._functions: Mapping[str, Sequence[ir.Def]] = seeds.functions
        self._own: dict[ir.Node, frozenset[str]] = {}
        self._all: dict[ir.Node, frozenset[str]] = {}

    def names(self, function: ir.Def | ir.Lambda) -> frozenset[str]:
        """What a function shows to be tensors, and of its arguments what each function does that
        it calls by their name."""
        if function not in self._all:
            self._all[function] = self.own(function) | frozenset(self.handed(function))
        return self._all[function]

    def own(self, function: ir.Def | ir.Lambda) -> frozenset[str]:
        if function not in self._own:
            self._own[function] = shown_to_be_tensors(function)
        return self._own[function]

    def handed(self, function: ir.Def | ir.Lambda) -> Iterator[str]:
        if isinstance(function, ir.Lambda) or self._functions.keys().isdisjoint(function.words):
            return
        if function not in self._functions.get(function.name, ()):
            return  # It is of another module.
        own = {parameter.name for parameter in function.params}
        for call in (each for each in walk(function) if isinstance(each, ir.Call)):
            if callees := self.callees(call):
                shown = (self.shown(call, each) for each in callees)
                yield from own.intersection(*shown)

    def callees(self, call: ir.Call) -> Sequence[ir.Def]:
        """The functions that a call may be of: those of its name, methods where it is of one."""
        match call.func:
            case ir.Name(id=name):
                return [e for e in self._functions.get(name, ()) if not takes_self(e)]
            case ir.Attribute(value=whole, name=name) if is_self(whole):
                return [e for e in self._functions.get(name, ()) if takes_self(e)]
        return ()

    def shown(self, call: ir.Call, callee: ir.Def) -> set[str]:
        """The names that a function takes for tensors which a call gives it."""
        params = callee.params[1:] if takes_self(callee) else callee.params
        evident = self.own(callee)
        given = (argument(call, i, each) for i, each in enumerate(params) if each.name in evident)
        return {each.id for each in given if isinstance(each, ir.Name)}


def takes_self(function: ir.Def) -> bool:
    return bool(function.params) and function.params[0].name == "self"
