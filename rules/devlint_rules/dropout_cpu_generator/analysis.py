"""What layers draw on the CPU from their generators, and where it meets their input."""

from __future__ import annotations

from devlint.api import (
    Analysis,
    Combined,
    Fix,
    Like,
    Operand,
    Problem,
    RandomDraws,
    Run,
    Sample,
    Value,
    followed,
    ir,
    on,
)


class MaskedInputs(Analysis[Run]):
    """Reports where what a layer has drawn on the CPU meets what derives from its input."""

    needs = (RandomDraws,)
    is_failure = True

    @on(Combined)
    def combine(self, signal: Combined) -> None:
        if len(signal.operands) < 2:
            return
        for drawn in signal.operands:
            draw = drawn.value.tag(Sample)
            if draw is None or not drawn.value.device.is_cpu or drawn.is_exempt:
                continue
            inputs = (each for each in signal.operands if self.derives_from_input(each.value))
            partner = next(inputs, None)
            if partner is not None:
                self.mask(signal.node, draw, partner)
                return

    def mask(self, node: ir.Node, draw: Sample, partner: Operand) -> None:
        if is_of_layer(draw):
            what = f"on the CPU, and the result meets `{partner.name}`"
            meeting = ((node, "they meet here"),)
            place = place_of(partner) if draw.path == self.run.frame.path else None
            self.run.report(self, problem(draw, what, meeting, fix(draw, place)))

    def derives_from_input(self, value: Value) -> bool:
        """Whether a value is on the device of an argument, those of `__init__` left out."""
        owner = self.run.frame.owner
        init = owner.method("__init__") if owner else None
        given = init.node.params if init is not None else ()
        return any(isinstance(a, Like) and a.source not in given for a in value.device.atoms)


def is_of_layer(draw: Sample) -> bool:
    """Whether a layer draws from a generator on the CPU."""
    return draw.layer is not None and draw.generator.value.device.is_cpu


def problem(
    draw: Sample, what: str, later: tuple[tuple[ir.Node, str], ...], change: Fix | None
) -> Problem:
    origin = draw.generator.value.origin
    made = () if origin is None else ((origin.node, "the generator is made on the CPU here"),)
    message = (
        f"`{draw.layer}` draws from a CPU generator {what}: moving the layer does not move the "
        "generator, so this raises on an accelerator"
    )
    return Problem(draw.node, message, made, later=later, fix=change)


def fix(draw: Sample, place: str | None) -> Fix | None:
    """Draw where the generator is, then move to the input."""
    if place is None or not isinstance(draw.node, ir.Call):
        return None
    change = followed(draw.node, f".to({place})")
    return Fix(f"draw where the generator is, then move: `.to({place})`", (change,), "safe")


def place_of(operand: Operand) -> str | None:
    """The device of a parameter, which has its name in all of its function."""
    sources = [atom.source for atom in operand.value.device.likes]
    is_parameter = isinstance(operand.node, ir.Name) and all(
        isinstance(source, ir.Parameter) and source.name == operand.name for source in sources
    )
    return f"{operand.name}.device" if is_parameter else None
