"""safetensors: files of tensors, which are put where the reader says, on the CPU by default."""

from __future__ import annotations

from dataclasses import dataclass

from devlint.facts.effect import Fact
from devlint.interpret.core.call import Call
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.library_model import LibraryModel
from devlint.interpret.tensors.transfers import device_named
from devlint.values.device import ON_CPU, UNKNOWN
from devlint.values.origin import Origin
from devlint.values.value import Value


@dataclass(frozen=True, slots=True)
class ReadsFile(Fact):
    """Tensors by their names, on `device=`, the second argument, or else on the CPU."""


def read(machine: Run, _: Fact, call: Call) -> Value:
    given = call.arguments.get(1, "device")
    device = ON_CPU if given is None else device_named(given) or UNKNOWN
    if call.arguments.is_open:
        device = UNKNOWN
    told = f"read onto {device.told} here" if device.is_known else "read here"
    origin = Origin(call.node, told, machine.frame.path)
    return Value(device=device, ref=machine.key(call.node), origin=origin)


MODEL = LibraryModel[Run](
    packages=frozenset({"safetensors"}),
    patterns=((r"safetensors\.torch\.load(_file)?", ReadsFile("-filename -device")),),
    handlers={ReadsFile: read},
    words=frozenset({"load_file"}),
)
