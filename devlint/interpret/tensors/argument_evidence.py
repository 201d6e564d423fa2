"""Which names of the functions of a program are evidently tensors, by what these do with them, and
by what the functions do that are handed them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from devlint.interpret.core.relevance import Seeds
from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.queries.dotted_names import last_word
from devlint.queries.module_functions import argument
from devlint.queries.name_conventions import is_self
from devlint.queries.tensor_evidence import shown_to_be_tensors

#: The method of a tensor that has a function called with its gradient.
REGISTER = "register_hook"
#: The base of functions with derivatives of their own.
FUNCTION = "Function"


class ArgumentEvidence:
    """What is found of the functions of one module."""

    def __init__(self, seeds: Seeds) -> None:
        self._seeds = seeds
        self._functions: Mapping[str, Sequence[ir.Def]] = seeds.functions
        self._own: dict[ir.Node, frozenset[str]] = {}
        self._all: dict[ir.Node, frozenset[str]] = {}

    def names(self, function: ir.Def | ir.Lambda) -> frozenset[str]:
        """What a function shows to be tensors, and of its arguments what each function does that
        it calls by their name."""
        if function not in self._all:
            known = self.own(function) | self.gradients(function)
            self._all[function] = known | frozenset(self.handed(function))
        return self._all[function]

    def gradients(self, function: ir.Def | ir.Lambda) -> frozenset[str]:
        """The argument of what is registered as a hook of a tensor, and those of a derivative."""
        if isinstance(function, ir.Lambda):
            return frozenset()
        is_hook = function.name in self.hooks
        given = own_parameters(function)[:1] if is_hook else ()
        given = function.params[1:] if function in self.derivatives else given
        return frozenset(each.name for each in given if each.kind[0] != "*")

    @cached_property
    def hooks(self) -> frozenset[str]:
        """The names of functions and methods that the module registers as hooks of tensors."""
        registering = (each for each in self._seeds.definitions if REGISTER in each.words)
        calls = (e for each in registering for e in walk(each) if isinstance(e, ir.Call))
        return frozenset(last_word(e.args[0]) for e in calls if is_registering(e))

    @cached_property
    def derivatives(self) -> frozenset[ir.Node]:
        """The methods that give the derivatives of functions of their own."""
        classes = (each for each in self._seeds.definitions if isinstance(each, ir.Class))
        functions = (e for e in classes if any(last_word(base) == FUNCTION for base in e.bases))
        methods = (each for owner in functions for each in owner.body)
        return frozenset(e for e in methods if isinstance(e, ir.Def) and e.name == "backward")

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
        evident, params = self.own(callee), own_parameters(callee)
        given = (argument(call, i, each) for i, each in enumerate(params) if each.name in evident)
        return {each.id for each in given if isinstance(each, ir.Name)}


def is_registering(call: ir.Call) -> bool:
    return last_word(call.func) == REGISTER and bool(call.args)


def own_parameters(function: ir.Def) -> Sequence[ir.Parameter]:
    return function.params[1:] if takes_self(function) else function.params


def takes_self(function: ir.Def) -> bool:
    return bool(function.params) and function.params[0].name == "self"
