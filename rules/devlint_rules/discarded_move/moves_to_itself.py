"""Moves of a tensor to where it is."""

from __future__ import annotations

from devlint.api import Analysis, Calling, Kind, Problem, Run, ir, is_name, on, written


class MovesToItself(Analysis[Run]):
    """Reports `x.type_as(x)` and `x.to(x.device)`: what they were meant to follow is another."""

    is_failure = True

    @on(Calling)
    def call(self, signal: Calling) -> None:
        node, name = signal.call.node, signal.call.name
        if not isinstance(node.func, ir.Attribute) or node.keywords or len(node.args) != 1:
            return
        itself, given = node.func.value, node.args[0]
        if name == "to" and isinstance(given, ir.Attribute) and given.name == "device":
            given = given.value
        elif name not in ("to", "type_as"):
            return
        is_tensor = name == "type_as" or signal.call.receiver.kind is Kind.TENSOR
        is_same = isinstance(itself, ir.Name) and is_name(given, itself.id)
        if is_tensor and is_same and self.run.counts(self):
            text = written(itself)
            message = f"this moves `{text}` to where `{text}` is, and so nowhere"
            self.run.report(self, Problem(node, message))
