"""Puts what a finding uses into the slots of its rule's witness."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from devlint.confirm.witnesses.finding_usage import Usage
from devlint.confirm.witnesses.witness import Witness
from devlint.facts.effect import Agrees, Exports, Fact, Pointwise
from devlint.facts.signature import signature
from devlint.facts.table import fact
from devlint.finding import Finding

#: Draws that take a generator, with arguments that make four numbers.
DRAWS = {
    **dict.fromkeys("rand randn randperm".split(), "4"),
    "normal": "0.0, 1.0, (4,)",
    "randint": "2, (4,)",
}
FACTORIES = {
    **DRAWS,
    **dict.fromkeys("ones zeros empty eye".split(), "4"),
    "arange": "4.0",
    "full": "(4,), 1.0",
    "linspace": "0.0, 1.0, 4",
    "tensor": "[0.0, 1.0, 2.0, 3.0]",
}
#: Layers that take four channels of 4 x 4, and give them.
LAYERS = {
    **dict.fromkeys("Conv2d Conv3d ConvTranspose2d".split(), "4, 4, 1"),
    **dict.fromkeys("BatchNorm2d LayerNorm RMSNorm".split(), "4"),
    "GroupNorm": "2, 4",
    "InstanceNorm2d": "4, affine=True",
    "Linear": "4, 4",
    "PReLU": "",
}
#: Where a witness moves something to CUDA, and where it names it otherwise.
_CUDA = re.compile(r'(?P<move>\.to\("cuda"\))|"cuda"')
_NAMES = ("cuda", "cuda:0")
#: The arguments of operations on tensors that are not all alike.
ARGUMENTS = {
    "torch.where": "{0} > 0, {0}, {1}",
    "torch.gather": "{0}, 0, {1}.long()",
    "torch.Tensor.gather": "0, {1}.long()",
    "torch.Tensor.masked_fill": "{1} > 0, 0.0",
}


@dataclass(frozen=True, slots=True)
class Lines:
    """What is written in the lines of a finding, and then of its related places.

    `places`: what begins where the finding or a related place does.
    """

    nodes: Sequence[ast.expr]
    places: Sequence[ast.expr]
    usage: Usage

    @classmethod
    def of(cls, finding: Finding, usage: Usage) -> Lines:
        found = usage.expressions(finding)
        places = [node for node, is_place in found if is_place]
        return cls([node for node, _ in found], places, usage)

    def calls(self) -> Iterator[tuple[ast.Call, str]]:
        """The calls, and the names of what is imported among what they call."""
        for node in self.nodes:
            if isinstance(node, ast.Call):
                yield node, self.usage.name(node.func)


def specialised(witness: Witness, finding: Finding, usage: Usage) -> Witness:
    """The witness with the functions that the finding uses, and CUDA as it names it there.

    Whether such a program runs, and fails, is not known before it was tried.
    """
    lines = Lines.of(finding, usage)
    taken = {
        default: text
        for slot, default in witness.slots.items()
        if slot in SLOTS and (text := SLOTS[slot](lines, default))
    }
    device = next(filter(None, (named(each, usage) for each in lines.nodes)), '"cuda"')
    move = next(filter(None, (moved(*each, usage) for each in lines.calls())), f".to({device})")

    def filled(program: str) -> str:
        for default, text in taken.items():
            program = program.replace(default, text)
        return _CUDA.sub(lambda found: move if found["move"] else device, program)

    return replace(witness, buggy=filled(witness.buggy), fixed=filled(witness.fixed))


def made_by(functions: Mapping[str, str]) -> Callable[[Lines, str], str | None]:
    """A call of one of the functions, up to where `device=` may follow."""

    def made(lines: Lines, default: str) -> str | None:
        for _, name in lines.calls():
            module, _, function = name.rpartition(".")
            if module == "torch" and function in functions:
                return f"{name}({functions[function]}"
        return None

    return made


def layer(lines: Lines, default: str) -> str | None:
    for _, name in lines.calls():
        module, _, constructor = name.rpartition(".")
        if module == "torch.nn" and constructor in LAYERS:
            return f"nn.{constructor}({LAYERS[constructor]})"
    return None


def operation(lines: Lines, default: str) -> str | None:
    """An operation on the operands that the default one has."""
    operands = operands_of(default)
    spelled = (of_operands(each, operands, lines.usage) for each in (*lines.places, *lines.nodes))
    return next(filter(None, spelled), None)


def operands_of(text: str) -> list[str]:
    node = ast.parse(text, mode="eval").body
    if isinstance(node, ast.BinOp):
        return [ast.unparse(node.left), ast.unparse(node.right)]
    return [ast.unparse(each) for each in node.args] if isinstance(node, ast.Call) else []


def of_operands(node: ast.expr, operands: list[str], usage: Usage) -> str | None:
    """The operation of a node on other operands, if it is one that so many tensors meet in."""
    first, *others = operands
    if isinstance(node, ast.BinOp) and others:
        return ast.unparse(ast.BinOp(ast.Name(first), node.op, ast.Name(others[0])))
    if not isinstance(node, ast.Call):
        return None
    name = usage.name(node.func)
    if name.startswith(("torch.", "numpy.")):
        return called(name, name, operands)
    if isinstance(node.func, ast.Attribute) and not name:
        method = node.func.attr
        return called(f"{first}.{method}", f"torch.Tensor.{method}", operands)
    return None


def called(written: str, name: str, operands: list[str]) -> str | None:
    """A call of what has a name, if so many tensors meet in it."""
    known = fact(name)
    if known is None or not meet(known, len(operands)):
        return None
    if name in ARGUMENTS:
        return f"{written}({ARGUMENTS[name].format(*operands)})"
    given = ", ".join(operands[1:] if name.startswith("torch.Tensor.") else operands)
    return f"{written}([{given}])" if takes_list(known) else f"{written}({given})"


def meet(known: Fact, count: int) -> bool:
    if count == 1:
        return isinstance(known, Exports)
    room = sum(each.is_operand for each in signature(known.signature).parameters)
    return isinstance(known, (Agrees, Pointwise)) and (room >= count or takes_list(known))


def takes_list(known: Fact) -> bool:
    is_of_lists = isinstance(known, Exports) and known.of == "lists"
    first = signature(known.signature).parameters[:1]
    return is_of_lists or any(each.is_sequence for each in first)


def named(node: ast.expr, usage: Usage) -> str | None:
    """CUDA, as it is written."""
    if isinstance(node, ast.Constant) and node.value in _NAMES:
        return f'"{node.value}"'
    if isinstance(node, ast.Call) and usage.name(node.func) == "torch.device" and node.args:
        device = named(node.args[0], usage)
        return device and f"torch.device({device})"
    return None


def moved(call: ast.Call, name: str, usage: Usage) -> str | None:
    """A move to CUDA, as it is written, from its dot on."""
    if name or not isinstance(call.func, ast.Attribute):
        return None
    if call.func.attr == "cuda":
        return ".cuda()"
    given = [("", each) for each in call.args]
    given += [("device=", each.value) for each in call.keywords if each.arg == "device"]
    devices = ((key, named(each, usage)) for key, each in given if call.func.attr == "to")
    return next((f".to({key}{device})" for key, device in devices if device), None)


#: What takes the place of the text of a slot; None leaves the text there.
SLOTS: dict[str, Callable[[Lines, str], str | None]] = {
    "draw": made_by(DRAWS),
    "factory": made_by(FACTORIES),
    "layer": layer,
    "operation": operation,
}
