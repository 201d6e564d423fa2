"""Tensors handed to other processes."""

from __future__ import annotations

from dataclasses import replace

from devlint.api import (
    Analysis,
    Communicated,
    Factory,
    Presumption,
    Problem,
    Run,
    ir,
    on,
    walk,
)

NCCL = "nccl"
BACKENDS = frozenset({NCCL, "gloo", "mpi", "ucc"})


class Collectives(Analysis[Run]):
    """Reports tensors made on the CPU that a program hands to NCCL, which is what programs that
    name no backend are taken to use."""

    is_failure = True

    @on(Communicated)
    def communicate(self, signal: Communicated) -> None:
        named = self.run.once(backends, self.run.module)
        if named - {NCCL} or signal.call.arguments.get(2, "group") is not None:
            return  # A group of its own may have a backend of its own.
        for tensor in signal.operands:
            source = tensor.value.source
            if tensor.value.device.is_cpu and isinstance(source, Factory):
                presumes = () if named else (Presumption.NCCL,)
                found = problem(source.call, signal.call.node, signal.call.name)
                self.run.report(self, replace(found, presumes=presumes))


def backends(module: ir.Module) -> frozenset[object]:
    """The communication backends that a program names."""
    texts = (node.value for node in walk(module) if isinstance(node, ir.Constant))
    return frozenset(text for text in texts if isinstance(text, str) and text in BACKENDS)


def problem(made: ir.Call, communication: ir.Call, operation: str) -> Problem:
    return Problem(
        made,
        f"this tensor is made on the CPU, and NCCL takes only tensors on accelerators: "
        f"`{operation}` raises",
        later=((communication, "it is handed to other processes here"),),
    )
