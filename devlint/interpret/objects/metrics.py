"""Metrics: modules that are given what a model gives, and have to be where that is."""

from __future__ import annotations

from devlint.facts.effect import Container, Layer
from devlint.facts.library import Metric
from devlint.interpret.core.call import Arguments
from devlint.interpret.core.interpreter import Run
from devlint.interpret.tensors import factories
from devlint.lower import ir
from devlint.values.value import Kind, Value

STATE = Layer("", holds_state=True, is_metric=True)


def made(machine: Run, fact: Metric, node: ir.Call, name: str, arguments: Arguments) -> Value:
    if arguments.is_open or not arguments.keywords.keys().isdisjoint(fact.lists_with):
        return Value(Kind.OBJECT, payload="metric")
    return factories.layer(machine, STATE, node, name, arguments)


def is_metric(machine: Run, value: Value) -> bool:
    type_ = machine.instance(value.ref).type
    return isinstance(type_, Layer | Container) and type_.is_metric
