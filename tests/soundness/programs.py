"""Programs at random: tensors of three elements on two devices, in all that programs consist of.

Most operations are of tensors that the generator takes to be on one device, so that a program goes
on for a while.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from textwrap import indent

from tests.soundness import forms
from tests.soundness.forms import CPU, CUDA

HEAD = """import os
from dataclasses import dataclass

import torch
from torch import nn

device = torch.device("cuda")
flag0 = os.environ["FLAG0"] == "1"
flag1 = os.environ["FLAG1"] == "1"
"""
FLAGS = ("FLAG0", "FLAG1")
#: How often a second operand is of the same device, as far as the generator knows.
ALIKE = 0.75
DEEPEST = 3


@dataclass(frozen=True, slots=True)
class Program:
    text: str
    #: What it is made of.
    constructs: frozenset[str]


def program(seed: int) -> Program:
    writer = Writer(random.Random(seed))
    while len(writer.lines) < 8 + seed % 14:
        writer.statement()
    text = HEAD + "".join(f"{line}\n" for line in writer.lines)
    return Program(text, frozenset(writer.constructs))


@dataclass
class Names:
    """Of each kind, with the device that something is thought to be on."""

    tensors: dict[str, str] = field(default_factory=dict)
    lists: dict[str, str] = field(default_factory=dict)
    dicts: dict[str, str] = field(default_factory=dict)
    objects: dict[str, str] = field(default_factory=dict)
    modules: dict[str, str] = field(default_factory=dict)

    def copy(self) -> Names:
        return Names(*({**each} for each in vars(self).values()))


class Writer:
    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.lines: list[str] = []
        self.constructs: set[str] = set()
        self.names = Names()
        #: Functions of one tensor, and of two.
        self.functions: dict[str, int] = {}
        self.depth = 0
        self.count = 0

    def write(self, text: str) -> None:
        self.lines += text.rstrip("\n").split("\n")

    def new(self, kind: str) -> str:
        self.count += 1
        return f"{kind}{self.count}"

    def likely(self, probability: float) -> bool:
        return self.chance.random() < probability

    def device(self) -> str:
        return self.chance.choice((CUDA, CUDA, CUDA, CPU))

    def made(self, device: str) -> str:
        """A tensor that is new."""
        text = self.chance.choice(forms.VALUES)
        if device == CPU:
            return text
        if self.likely(0.5):
            return text + self.chance.choice(forms.MOVES)
        return text[:-1] + self.chance.choice(forms.ON_CUDA)

    def tensor(self, device: str = "") -> str:
        known = [n for n, there in self.names.tensors.items() if device in ("", there)]
        return self.chance.choice(known) if known else self.made(device or self.device())

    def filled(self, template: str, device: str, **known: str) -> str:
        """A form with its gaps filled."""
        return template.format(
            a=self.tensor(device),
            b=self.tensor(device if self.likely(ALIKE) else ""),
            any=self.tensor(),
            flag=self.chance.choice(("flag0", "flag1")),
            **known,
        )

    def expression(self, device: str) -> str:
        """One whose value is thought to be on a device."""
        makers = (self.plain, self.plain, self.plain, self.called, self.kept, self.method)
        return self.chance.choice(makers)(device) or self.made(device)

    def plain(self, device: str) -> str:
        form = self.chance.choice([e for e in forms.EXPRESSIONS if e.to in ("", device)])
        self.constructs.add(form.construct)
        return self.filled(form.text, device)

    def called(self, device: str) -> str:
        if not self.functions:
            return ""
        name, number = self.chance.choice([*self.functions.items()])
        of_one = ("call", "{name}({a})")
        construct, form = self.chance.choice(forms.CALLS) if number == 2 else of_one
        self.constructs.add(construct)
        return self.filled(form, device, name=name)

    def kept(self, device: str) -> str:
        """What a container or an object holds."""
        held = [f"{name}[0]" for name, there in self.names.lists.items() if there == device]
        held += [f'{name}["a"]' for name, there in self.names.dicts.items() if there == device]
        held += [f"{name}.held" for name, there in self.names.objects.items() if there == device]
        held += [f"{name}.bias.detach()" for name, at in self.names.modules.items() if at == device]
        lists = [name for name, there in self.names.lists.items() if there == device]
        held += [f"sum([x + {self.tensor(device)} for x in {name}])" for name in lists]
        return self.chance.choice(held) if held else ""

    def method(self, device: str) -> str:
        """What an object computes."""
        at = device if self.likely(ALIKE) else self.device()
        owners = [f"{name}.scale" for name, there in self.names.objects.items() if there == at]
        owners += [name for name, there in self.names.modules.items() if there == at]
        return self.filled("{name}({a})", device, name=self.chance.choice(owners)) if owners else ""

    def statement(self) -> None:
        makers: list[Callable[[], None]] = [self.assignment] * 5 + [self.in_place, self.unpacked]
        makers += [self.array, self.change, self.list, self.dict, self.module]
        if self.depth < DEEPEST:
            makers += [self.block] * 4
        if not self.depth:
            makers += [self.function] * 2 + [self.object] * 2 + [self.own_module]
        self.chance.choice(makers)()

    def assignment(self) -> None:
        device = self.device()
        known = [*self.names.tensors]
        name = self.chance.choice(known) if known and self.likely(0.3) else self.new("t")
        self.write(f"{name} = {self.expression(device)}")
        self.names.tensors[name] = device

    def in_place(self) -> None:
        device, name = self.device(), self.new("t")
        self.constructs.add("in place")
        self.write(self.filled("{name} = {a}.clone()\n{name} += {b}", device, name=name))
        self.names.tensors[name] = device

    def unpacked(self) -> None:
        first, second, devices = self.new("t"), self.new("t"), (self.device(), self.device())
        self.constructs.add("unpacking")
        self.write(f"{first}, {second} = {self.tensor(devices[0])}, {self.tensor(devices[1])}")
        self.names.tensors |= {first: devices[0], second: devices[1]}

    def array(self) -> None:
        name = self.new("t")
        self.constructs.add("NumPy")
        there = CPU if self.likely(0.95) else CUDA
        self.write(f"{name} = torch.from_numpy({self.tensor(there)}.detach().numpy())")
        self.names.tensors[name] = CPU

    def change(self) -> None:
        """What holds a tensor is given another one."""
        device = self.device()
        kinds = ((self.names.dicts, '{name}["a"]'), (self.names.objects, "{name}.held"))
        for names, place in self.chance.sample(kinds, 2):
            plain = [name for name in names if not name.startswith("fixed")]
            if plain:
                name = self.chance.choice(plain)
                self.constructs.add("change of what is held")
                self.write(f"{place.format(name=name)} = {self.tensor(device)}")
                names[name] = device
                return

    def list(self) -> None:
        device, name = self.device(), self.new("xs")
        self.constructs.add("list")
        form = self.chance.choice(
            ("{name} = [{a}, {b}]", "{name} = []\n{name}.append({a})\n{name}.append({b})")
        )
        self.write(self.filled(form, device, name=name))
        if self.likely(0.3):
            self.write(f"{name} = [x.cuda() for x in {name}]")
            device = CUDA
        self.names.lists[name] = device

    def dict(self) -> None:
        device, name = self.device(), self.new("d")
        self.constructs.add("dict")
        self.write(self.filled('{name} = {{"a": {a}, "b": {b}}}', device, name=name))
        if self.likely(0.3):
            self.write(f"{name} = {{k: v.cuda() for k, v in {name}.items()}}")
            device = CUDA
        self.names.dicts[name] = device

    def module(self) -> None:
        device, name = self.device(), self.new("m")
        self.constructs.add("module")
        move = self.chance.choice(forms.MOVES) if device == CUDA else ""
        later = move and self.likely(0.4)
        self.write(f"{name} = nn.Linear(3, 3)" + (f"\n{name}{move}" if later else move))
        self.names.modules[name] = device

    def function(self) -> None:
        name, number = self.new("f"), self.chance.choice((1, 2))
        self.constructs.add("function")
        form = self.chance.choice(forms.TWO if number == 2 else forms.ONE)
        head = f"def {name}(x, other):\n" if number == 2 else f"def {name}(x):\n"
        self.write(head + self.filled(form, self.device()))
        self.functions[name] = number

    def object(self) -> None:
        construct, form, call = self.chance.choice(forms.CLASSES)
        device, name = self.device(), self.new("C")
        is_fixed = "@property" in form
        instance = self.new("fixed" if is_fixed else "o")
        self.constructs.add(construct)
        self.write(self.filled(form, device, name=name))
        self.write(f"{instance} = {self.filled(call, device, name=name)}")
        self.names.objects[instance] = device

    def own_module(self) -> None:
        construct, form, moves = self.chance.choice(forms.MODULES)
        device, name, instance = self.device(), self.new("M"), self.new("fixed")
        self.constructs.add(construct)
        held = form.format(made=self.made(CPU))
        self.write(
            f"class {name}(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            f"        {held}\n    def scale(self, x):\n        return x * self.held"
        )
        move = self.chance.choice(forms.MOVES) if device == CUDA else ""
        self.write(f"{instance} = {name}(){move}")
        self.names.objects[instance] = device if moves else CPU

    def block(self) -> None:
        construct, form = self.chance.choice(forms.BLOCKS)
        self.constructs.add(construct)
        parts = form.replace("{body2}", "\0\0").replace("{body}", "\0").split("\0")
        text, depth = parts[0], 0
        for part in parts[1:]:
            depth += 1
            if part:
                text += self.body("    " * depth) + part
                depth = 0
        text += self.body("    " * depth) if depth else ""
        flag = self.chance.choice(("flag0", "flag1"))
        self.write(text.replace("{flag}", flag).replace("{new}", self.new("n")))

    def body(self, margin: str) -> str:
        """Some statements; what they name is forgotten, for they may not be run."""
        outer, self.lines = self.lines, []
        before, functions = self.names.copy(), dict(self.functions)
        self.depth += 1
        for _ in range(self.chance.choice((1, 2, 2))):
            self.statement()
        self.depth -= 1
        text = indent("".join(f"{line}\n" for line in self.lines or ["pass"]), margin)
        for names, known in zip(vars(self.names).values(), vars(before).values(), strict=True):
            for name in [each for each in names if each not in known]:
                del names[name]
        self.lines, self.functions = outer, functions
        return text
