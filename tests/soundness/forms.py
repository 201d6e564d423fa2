"""The forms that programs are made of, as texts with gaps.

`{a}` is a tensor that is thought to be on the device of the result, `{b}` mostly another one of
there, `{any}` one of any device; `{flag}` is a test that comes out as the run is told.
"""

from __future__ import annotations

from typing import NamedTuple

#: On which device a tensor is thought to be. Only what a program does tells.
CUDA, CPU = "cuda", "cpu"
VALUES = (
    *("torch.ones(3)", "torch.zeros(3)", "torch.rand(3)", "torch.arange(3.0)"),
    *("torch.tensor([1.0, 2.0, 3.0])", "torch.full((3,), 2.0)"),
)
MOVES = (".cuda()", '.to("cuda")', ".to(device)")
ON_CUDA = (', device="cuda")', ", device=device)")


class Expression(NamedTuple):
    """`to`: where the result is, if not where `{a}` is."""

    construct: str
    text: str
    to: str = ""


EXPRESSIONS = (
    Expression("arithmetic", "{a} + {b}"),
    Expression("arithmetic", "{a} - {b}"),
    Expression("arithmetic", "{a} * 2"),
    Expression("method", "{a}.relu()"),
    Expression("like", "torch.zeros_like({a})"),
    Expression("like", "{a}.new_zeros(3)"),
    Expression("stack", "torch.stack([{a}, {b}]).sum(0)"),
    Expression("where", "torch.where({a} > 0, {a}, {b})"),
    Expression("slices", "torch.cat([{a}[:1], {b}[1:]])"),
    Expression("lambda", "(lambda x: x + {b})({a})"),
    Expression("conditional", "({a} if {flag} else {b})"),
    Expression("move", "{any}.cuda()", CUDA),
    Expression("move", "{any}.to(device)", CUDA),
    Expression("move", "{any}.cpu()", CPU),
    Expression("move to another", "{any}.to({a})"),
    Expression("move to another", "{any}.to({a}.device)"),
)
#: Functions of two tensors, and of one.
TWO = (
    "    return x + other\n",
    "    y = x * 2\n    return y - other\n",
    "    if {flag}:\n        x = x.to(other.device)\n    return x + other\n",
    "    return x.to(other.device) + other\n",
    "    return x + other + torch.ones(3, device=other.device)\n",
    "    mask = torch.zeros_like(other)\n    return x + mask\n",
    "    x = x.clone()\n    x += other\n    return x\n",
    "    total = x\n    for each in [other]:\n        total = total + each\n    return total\n",
)
ONE = (
    "    return x * 2\n",
    "    return x + {b}\n",
    "    if {flag}:\n        return x.clone()\n    return x * 3\n",
    "    return x + torch.ones_like(x)\n",
    "    return x + torch.ones(3, device=x.device)\n",
)
CALLS = (
    ("call", "{name}({a}, {b})"),
    ("keyword", "{name}({a}, other={b})"),
    ("star", "{name}(*[{a}, {b}])"),
    ("two stars", '{name}(**{{"x": {a}, "other": {b}}})'),
)
#: Classes whose objects hold a tensor: how they are written, and made with `{a}`.
CLASSES = (
    (
        "attribute",
        "class {name}:\n    def __init__(self, held):\n        self.held = held\n"
        "    def scale(self, x):\n        return x * self.held\n",
        "{name}({a})",
    ),
    (
        "dataclass",
        "@dataclass\nclass {name}:\n    held: torch.Tensor\n"
        "    def scale(self, x):\n        return x * self.held\n",
        "{name}({a})",
    ),
    (
        "inherited",
        "class Base{name}:\n    def __init__(self, held):\n        self.held = held\n"
        "    def scale(self, x):\n        return self.combine(x)\n"
        "class {name}(Base{name}):\n    def combine(self, x):\n        return x + self.held\n",
        "{name}({a})",
    ),
    (
        "property",
        "class {name}:\n    @property\n    def held(self):\n        return {a}.clone()\n"
        "    def scale(self, x):\n        return x * self.held\n",
        "{name}()",
    ),
    (
        "made late",
        "class {name}:\n    def __init__(self):\n        self.cache = None\n"
        "    @property\n    def held(self):\n        if self.cache is None:\n"
        "            self.cache = {a}.clone()\n        return self.cache\n"
        "    def scale(self, x):\n        return x * self.held\n",
        "{name}()",
    ),
    (
        "list in an object",
        "class {name}:\n    def __init__(self, held):\n        self.parts = []\n"
        "        self.add(held)\n    def add(self, part):\n        self.parts.append(part)\n"
        "    @property\n    def held(self):\n        return self.parts[-1]\n"
        "    def scale(self, x):\n        return x * self.held\n",
        "{name}({a})",
    ),
)
#: Modules that hold a tensor that is made on the CPU, and whether that moves with them.
MODULES = (
    ("buffer", 'self.register_buffer("held", {made})', True),
    ("parameter", "self.held = nn.Parameter({made})", True),
    ("plain tensor", "self.held = {made}", False),
)
#: Blocks, of which each `{body}` is filled.
BLOCKS = (
    ("if", "if {flag}:\n{body}"),
    ("if and else", "if {flag}:\n{body}else:\n{body}"),
    ("for", "for _ in range(2):\n{body}"),
    ("while", "{new} = 0\nwhile {new} < 2:\n    {new} += 1\n{body}"),
    ("with", "with torch.no_grad():\n{body}"),
    ("match", "match {flag}:\n    case True:\n{body2}    case _:\n{body2}"),
    ("try", "try:\n{body}except ValueError:\n{body}"),
    ("try", "try:\n{body}except RuntimeError:\n{body}"),
    ("finally", "try:\n{body}finally:\n{body}"),
)
