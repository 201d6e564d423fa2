"""Calls that move or place something, and what they are given."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from devlint.api import (
    Analysis,
    Applying,
    Argument,
    Call,
    Calling,
    Fix,
    Kind,
    Made,
    Problem,
    Run,
    Transferring,
    Value,
    display_kind,
    effect,
    ir,
    module_state,
    on,
    replaced,
    walk,
    written,
)
from devlint_rules.invalid_device_call.accepted_arguments import MODULE, TENSOR, Accepted, refused
from devlint_rules.invalid_device_call.device_arguments import devices
from devlint_rules.invalid_device_call.device_names import suggestion
from devlint_rules.invalid_device_call.kinds_by_use import used_as_lists, used_as_modules


class InvalidCalls(Analysis[Run]):
    """Reports calls that raise whenever they are reached, or on an accelerator."""

    is_failure = True

    @on(Applying)
    def apply(self, signal: Applying) -> None:
        call, fact = signal.call, signal.fact
        for argument in devices(call, fact):
            self.name(argument)
        if isinstance(fact, effect.Makes) and call.name.endswith("Tensor"):
            self.construct(call, fact)

    def construct(self, call: Call, fact: effect.Makes) -> None:
        """The constructor of a type makes tensors on its device only, and takes none from
        elsewhere; `torch.Tensor` is of the default type, whose device nobody need know."""
        given = call.arguments.keywords.get("device")
        if not fact.device and given is not None and is_refused(given.value):
            self.run.report(self, legacy_problem(call))
        data = call.arguments.positional[0] if len(call.arguments.positional) == 1 else None
        if data is None or data.value.kind is not Kind.TENSOR or call.name == "torch.Tensor":
            return
        where = data.value.device
        if where.is_cpu if fact.device else where.is_accelerator:
            self.run.report(self, constructor_problem(call, data))

    @on(Transferring)
    def transfer(self, signal: Transferring) -> None:
        call = signal.call
        if signal.fact.how == "type":
            return
        for argument in devices(call, signal.fact):
            self.name(argument)
        accepted = self.accepted(call)
        if accepted is not None and (found := refused(call, accepted)) is not None:
            self.run.report(self, Problem(call.node, found))

    def name(self, argument: Argument) -> None:
        found = suggestion(argument)
        if found is None:
            return
        text, meant = found
        message = f"PyTorch knows no device called `{text}`: this raises, `{meant}` does not"
        fix = None
        if isinstance(argument.node, ir.Constant):
            fix = Fix(f'write `"{meant}"`', (replaced(argument.node, f'"{meant}"'),), "safe")
        self.run.report(self, Problem(argument.node, message, fix=fix))

    def accepted(self, call: Call) -> Accepted | None:
        """What the method takes, by what has it: nothing else than tensors and modules has `cuda`;
        of what is neither for certain, what either of them takes."""
        receiver = call.receiver
        if receiver.kind is Kind.TENSOR:
            return TENSOR.get(call.name)
        if module_state.is_module(self.run, receiver) or self.is_used(call, used_as_modules):
            return MODULE.get(call.name)
        is_known = call.name == "cuda" and receiver.kind is Kind.UNKNOWN
        return TENSOR["cuda"] if is_known else None

    def is_tested_since(self, ref: Hashable) -> bool:
        """Whether a function has branches that was called with something since it was made."""
        path = ref.path if isinstance(ref, Made) else ()
        depth = len(self.run.frame.path) - len(path)
        since = self.run.running[-depth:] if depth > 0 else []
        return any(isinstance(each, ir.Def) and self.run.once(has_branches, each) for each in since)

    def is_used(self, call: Call, how: Callable[[ir.Def], frozenset[str]]) -> bool:
        """Whether the function that runs uses the receiver as something; a lambda that it calls has
        names of its own."""
        function = self.run.running[-1] if self.run.running else None
        whole = call.node.func.value if isinstance(call.node.func, ir.Attribute) else None
        if not isinstance(function, ir.Def) or not isinstance(whole, ir.Name):
            return False
        return whole.id in self.run.once(how, function)

    @on(Calling)
    def call(self, signal: Calling) -> None:
        """What is a list or a dict of tensors is moved one by one."""
        call = signal.call
        is_move = call.name in ("cuda", "cpu") or (call.name == "to" and is_place(call))
        kind, ref = None, call.receiver.ref
        if call.receiver.kind is Kind.CONTAINER:
            # Of what a caller has written, tests may have decided what is done with it.
            kind = None if self.is_tested_since(ref) else display_kind(ref)
        elif call.receiver.kind is Kind.UNKNOWN and call.name == "cuda":
            kind = "list" if self.is_used(call, used_as_lists) else None
        if is_move and kind is not None:
            whole = written(call.node.func).rpartition(".")[0]
            message = f"`{whole}` is a {kind}, which has no `{call.name}`: move what is in it"
            self.run.report(self, Problem(call.node, message))


def has_branches(function: ir.Def) -> bool:
    return any(isinstance(node, (ir.If, ir.Conditional, ir.Match)) for node in walk(function))


def is_place(call: Call) -> bool:
    return any(each.value.kind in (Kind.DEVICE, Kind.CONSTANT) for each in call.arguments)


def is_refused(device: Value) -> bool:
    """Whether a device is not the CPU, or need not be."""
    where = device.device if device.kind is Kind.DEVICE else None
    text = device.payload if device.kind is Kind.CONSTANT else None
    if isinstance(text, str):
        return not text.startswith("cpu")
    return where is not None and (where.may_accelerate or where.is_like)


def constructor_problem(call: Call, data: Argument) -> Problem:
    where = data.value.device.told
    origin = data.value.origin
    return Problem(
        call.node,
        f"`{call.name}` refuses a tensor that is on {where}: this raises, `.to(..)` moves it",
        () if origin is None else ((origin.node, f"it is {origin.text}"),),
    )


def legacy_problem(call: Call) -> Problem:
    made = "torch.tensor" if call.arguments.positional else "torch.empty"
    return Problem(
        call.node,
        f"`{call.name}` makes tensors on the CPU only: with another device this raises, "
        f"`{made}(.., device=..)` does not",
    )
