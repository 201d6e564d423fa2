"""The words without which a function has nothing to do with devices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from devlint.lower import ir

SEEDS = frozenset(
    (
        "cuda cpu to device xpu npu mps hpu Generator generator manual_seed save load "
        "load_url dump load_state_dict_from_url map_location set_default_device "
        "set_default_tensor_type to_empty reveal_device"
    ).split()
)
#: Words of programs that choose their device at run time.
CHOICES = frozenset(
    (
        "is_available device_count current_accelerator no_cuda use_cuda use_gpu device "
        "map_location local_rank gpu"
    ).split()
)


def words(module: ir.Module) -> frozenset[str]:
    """The seeds, with the names of functions and classes in view that have one."""
    known = set(SEEDS)
    pending = list(definitions(module.body))
    while True:
        found = [node for node in pending if not known.isdisjoint(node.words)]
        if not found:
            return frozenset(known)
        known.update(node.name for node in found if node.name not in IMPLICIT)
        pending = [node for node in pending if known.isdisjoint(node.words)]


#: Called by every module or object: their names say nothing.
IMPLICIT = frozenset({"__init__", "forward", "__call__", "__enter__", "__exit__", "__getitem__"})


def definitions(block: Iterable[ir.Node]) -> Iterator[ir.Def | ir.Class]:
    """All functions and classes below statements."""
    for statement in block:
        if isinstance(statement, (ir.Def, ir.Class)):
            yield statement
            yield from definitions(statement.body)
        elif isinstance(statement, (ir.If, ir.For, ir.While)):
            yield from definitions(statement.body)
            yield from definitions(statement.orelse)
        elif isinstance(statement, ir.With):
            yield from definitions(statement.body)
        elif isinstance(statement, ir.Try):
            yield from definitions((*statement.body, *statement.orelse, *statement.final))
            for handler in statement.handlers:
                yield from definitions(handler.body)
