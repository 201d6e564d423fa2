"""Modules whose memory nobody has written to since they left the `meta` device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from devlint.api import (
    META,
    Applying,
    AttributeRead,
    Call,
    Calling,
    Flaw,
    ModuleCalled,
    ModuleFlaws,
    Origin,
    Problem,
    Value,
    effect,
    ir,
    leaves_state_alone,
    module_state,
    on,
)
from devlint_rules.meta_left_empty.registered_buffers import Buffer, RegisteredBuffers

#: What is empty: all there is, all but the parameters, or what no state dict has.
Extent = Literal["all", "buffers", "hidden"]

#: Methods that read or write parameters, or all that a state dict has.
REACHES: dict[str, Extent] = {
    "parameters": "buffers",
    "named_parameters": "buffers",
    "state_dict": "hidden",
    "load_state_dict": "hidden",
}


@dataclass(frozen=True, slots=True)
class Empty(Flaw):
    """Of a module of which something is empty."""

    extent: Extent


class EmptyModules(ModuleFlaws):
    """Reports modules that compute with what nothing has filled."""

    needs = (RegisteredBuffers,)

    @on(Calling)
    def call(self, signal: Calling) -> None:
        """A method of a module runs."""
        name, module = signal.call.name, signal.call.receiver
        if module is None:
            return
        if not leaves_state_alone(name):
            self.fill(module, REACHES.get(name))
        if name == "to_empty":
            self.empty(signal.call, module)
        elif name == "load_state_dict":
            self.load(signal.call, module)

    def empty(self, call: Call, module: Value) -> None:
        """`to_empty` leaves everything as the memory happens to be."""
        recurses = call.arguments.get(None, "recurse")
        if recurses is None and not call.arguments.is_open:
            self.leave(module, "all", Origin(call.node, "emptied here", self.run.frame.path))

    def load(self, call: Call, module: Value) -> None:
        """With `assign=True`, tensors take the place of those on `meta`."""
        assigns = call.arguments.get(2, "assign")
        if assigns is None or assigns.value.payload is not True:
            return
        if module_state.module_device(self.run, module)[0] == META:
            self.leave(module, "hidden", Origin(call.node, "loaded here", self.run.frame.path))

    def leave(self, module: Value, extent: Extent, origin: Origin) -> None:
        self.mark(module, Empty(origin, extent))

    @on(AttributeRead)
    def read(self, signal: AttributeRead) -> None:
        """A part of a module is within reach."""
        if signal.node.name != "device":
            self.fill(signal.whole)

    @on(Applying)
    def wrap(self, signal: Applying) -> None:
        """A wrapper gets hold of a module, and places it."""
        given = next(iter(signal.call.arguments), None)
        if given is not None and isinstance(signal.fact, effect.Wraps) and signal.fact.places:
            self.fill(given.value)

    def fill(self, module: Value, extent: Extent | None = None) -> None:
        """Something may have written to a module; what is of `extent` it has not reached."""
        flaw = self.flaw(module, Empty)
        if extent is None:
            self.mend(module, Empty)
        elif flaw is not None and flaw.extent != "hidden":
            self.leave(module, extent, flaw.origin)

    @on(ModuleCalled)
    def compute(self, signal: ModuleCalled) -> None:
        """A module computes with what nothing has filled."""
        flaw = self.flaw(signal.module, Empty)
        if flaw is None:
            return
        is_hidden, is_all = flaw.extent == "hidden", flaw.extent == "all"
        known = self.run.analysis(RegisteredBuffers)
        found = {each.node: each for each in known.of(signal.module, is_hidden=is_hidden)}
        buffers = tuple(found.values())
        if buffers or is_all:
            self.tell(flaw, buffers, signal.call.node)

    def tell(self, flaw: Empty, buffers: tuple[Buffer, ...], use: ir.Node) -> None:
        used = ((use, "and used here"),)
        if flaw.extent == "all":
            message = (
                "the module's parameters and buffers are left as the memory happens to be: nothing "
                "fills them before it is used"
            )
            self.run.report(self, Problem(flaw.origin.node, message, later=used))
            return
        names = ", ".join(f"`{name}`" for name in dict.fromkeys(each.name for each in buffers))
        message = f"nothing fills the module's {names} before it is used: {reason(buffers)}"
        registrations = tuple((each.node, "registered here") for each in buffers)
        self.run.report(self, Problem(flaw.origin.node, message, registrations, later=used))


def reason(buffers: tuple[Buffer, ...]) -> str:
    if any(each.is_persistent for each in buffers):
        return "a loop over the parameters fills no buffer"
    return "what is not persistent is in no state dict"
