"""What a module holds and calls is taken for a module, which moves along."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from devlint.api import (
    Analysis,
    Factory,
    ModuleCalled,
    Presumption,
    Problem,
    Run,
    Value,
    ir,
    may_hold_state,
    module_state,
    on,
    own_device,
    written,
)
from devlint_rules.tensor_without_device.callers import is_before_moves, is_own
from devlint_rules.tensor_without_device.cpu_factories import factory


class HeldModules(Analysis[Run]):
    """Reports tensors made on the CPU that are given to what a module holds."""

    is_failure = True

    @on(ModuleCalled)
    def compute(self, signal: ModuleCalled) -> None:
        call = signal.call
        if not is_held(self.run, call.node, signal.module) or is_before_moves(self.run):
            return
        given = [each.value for each in call.arguments if not each.value.is_number]
        for values in ways(given):
            made = [factory(each) for each in values]
            if made and made[0] is not None and None not in made:
                self.run.report(self, problem(made[0], call.node))
                return


def ways(values: Sequence[Value]) -> Iterator[Sequence[Value]]:
    """Some values, as they are and on either path where a test tells where one of them is."""
    yield values
    for test in dict.fromkeys(each.device.test for each in values if not each.device.is_chosen):
        for truth in (True, False) if test is not None else ():
            yield [each.given(test, truth) for each in values]


def is_held(run: Run, call: ir.Call, module: Value) -> bool:
    """Whether a method of a module that is wherever its user put it calls what that was given, or
    has made of a class out of view, and all that shows what this is, is that it is called."""
    whole = own_device(run, call)
    if whole is None or not any(is_own(like.source) for like in whole.likes):
        return False
    if may_hold_state(run, module):
        return False
    if isinstance(module.ref, ir.Parameter):
        return module.ref.annotation is None
    return isinstance(run.instance(module.ref).type, module_state.Outer)


def problem(made: Factory, call: ir.Call) -> Problem:
    module = written(call.func)
    return Problem(
        made.call,
        f"this tensor is made on the CPU and is given to `{module}`: if that is on an accelerator, "
        "this raises",
        later=((call, "it is called here"),),
        presumes=(Presumption.GIVEN_MODEL,),
    )
