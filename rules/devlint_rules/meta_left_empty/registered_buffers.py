"""The buffers that modules register, and what is in them."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace

from devlint.api import (
    Analysis,
    Called,
    ChangedInPlace,
    ClassInfo,
    Created,
    Kind,
    Run,
    Tag,
    Transferred,
    Value,
    ir,
    module_state,
    on,
    walk,
)

#: What makes a tensor that is written to before it is read.
BLANK = frozenset("zeros empty zeros_like empty_like new_zeros new_empty".split())


@dataclass(frozen=True, slots=True)
class Blank(Tag):
    """Of a tensor that is no more than a place to write to."""

    made: ir.Node


@dataclass(frozen=True, slots=True, eq=False)
class Buffer:
    """A buffer that a module registers, with more in it than a place to write to."""

    node: ir.Node
    name: str
    is_persistent: bool


class RegisteredBuffers(Analysis[Run]):
    """Says which buffers with contents a module has registered."""

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        #: Where blank tensors were made that something wrote to before they were registered.
        self.written: set[ir.Node] = set()
        self.found: dict[tuple[Hashable, str], Buffer] = {}

    @on(Created)
    def create(self, signal: Created) -> Value | None:
        is_blank = signal.call.name.rpartition(".")[2] in BLANK
        return signal.value.tagged(Blank(signal.call.node)) if is_blank else None

    @on(Transferred)
    def transfer(self, signal: Transferred) -> Value | None:
        blank = signal.before.tag(Blank)
        return None if blank is None else signal.value.tagged(blank)

    @on(ChangedInPlace)
    def write(self, signal: ChangedInPlace) -> None:
        blank = signal.value.tag(Blank)
        if blank is not None and signal.value.tag(module_state.Registered) is None:
            self.written.add(blank.made)

    @on(Called)
    def register(self, signal: Called) -> None:
        call = signal.call
        if call.name != "register_buffer" or call.receiver is None:
            return
        name, tensor = call.arguments.get(0, "name"), call.arguments.get(1, "tensor")
        if name is None or tensor is None:
            return
        key = (call.receiver.ref, str(name.value.payload))
        self.found.pop(key, None)
        if self.has_content(tensor.value):
            persistent = call.arguments.get(2, "persistent")
            is_persistent = persistent is None or persistent.value.payload is not False
            self.found[key] = Buffer(call.node, key[1], is_persistent)

    def has_content(self, tensor: Value) -> bool:
        blank = tensor.tag(Blank)
        is_none = tensor.kind is Kind.CONSTANT
        return not is_none and (blank is None or blank.made in self.written)

    def of(self, module: Value, *, is_hidden: bool) -> Iterator[Buffer]:
        """The buffers that are made once and only read afterwards; `is_hidden`: of these the ones
        that no state dict has."""
        for part in module_state.parts(self.run, replace(module, kind=Kind.MODULE), set()):
            instance = self.run.instance(part.ref)
            for name in instance.attributes:
                buffer = self.found.get((part.ref, name))
                if buffer is None or (is_hidden and buffer.is_persistent):
                    continue
                if isinstance(instance.type, ClassInfo) and is_read(instance.type, buffer):
                    yield buffer


def is_read(owner: ClassInfo, buffer: Buffer) -> bool:
    """Whether methods but that which registers it read a buffer, and none replaces it."""
    others = [method for method in owner.definitions if buffer.node not in walk(method)]
    is_replaced = any(buffer.name in method.stores for method in others)
    return not is_replaced and any(buffer.name in method.words for method in others)
