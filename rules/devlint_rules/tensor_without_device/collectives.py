"""Tensors handed to other processes."""

from __future__ import annotations

from devlint.api import Analysis, Communicated, Factory, Problem, Run, ir, on, walk

BACKENDS = frozenset({"nccl", "gloo", "mpi", "ucc"})


class Collectives(Analysis[Run]):
    """Reports tensors made on the CPU that a program hands to NCCL."""

    @on(Communicated)
    def communicate(self, signal: Communicated) -> None:
        for tensor in signal.operands:
            source = tensor.value.source
            if (
                tensor.value.device.is_cpu
                and isinstance(source, Factory)
                and self.run.once(backends, self.run.module) <= {"nccl"}
            ):
                self.run.report(self, problem(source.call, signal.call.node, signal.call.name))


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
