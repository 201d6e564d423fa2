"""What names alone say, where nothing else is known: devices, configurations, training."""

from __future__ import annotations

import re
from dataclasses import fields
from functools import lru_cache

from devlint.lower import ir
from devlint.lower.walk import walk

#: `rank` and `gpu` are what launchers hand to `.to(..)` and `.cuda(..)`.
DEVICE = re.compile(r"(^|_)(device|dev|devices|rank|gpu|gpu_id|device_id)(_?[0-9])?$", re.I)
#: Of what says where to go: `rank`, `gpu` and `devices` only count.
DEVICE_VARIABLE = re.compile(r"(^|_)(device|dev)$", re.I)
DTYPE = re.compile(r"(^|_)(dtype|precision|float(16|32|64)?|half|bfloat16)$", re.I)
CONFIGURATION = re.compile(
    r"^(self|cls|argv?|args|ns|flags|cfg|conf|config|opts?|options|hparams|hps|settings|params"
    r"|parser|namespace|ctx|context|trainer|accelerator|fabric|runner|engine|state|info)$"
    r"|_(args|cfg|conf|config|opts?|options|settings)$",
    re.I,
)
USE = re.compile(
    r"^(__call__|forward|generate|predict|encode|decode|sample|infer|inference|transcribe|embed)(_|$)"
    r"|_(step|forward)$"
    r"|^get_(actions?|outputs?|logits|loss|(text|image|audio)_features)$"
)
TRAINING = re.compile(r"^(train|fit|finetune|fine_tune|optimize|pretrain)(_|$)|_(train|fit)$", re.I)
MODEL = re.compile(
    r"(^|_)(model|net|network|classifier|backbone|encoder|decoder|generator|discriminator|critic"
    r"|[cr]nn|gan|lstm|gru|transformer|unet|resnet\d*|vgg\d*|bert)(_?\d|_[a-z]{1,4})?$",
    re.I,
)
#: `tqdm`, and what a project wraps it in.
PASSAGE = re.compile(r"^(trange|track|deepcopy|copy|cast|checkpoint_wrapper)$|(^|_)tqdm(_|$)")


@lru_cache(maxsize=4096)
def names_device(name: str) -> bool:
    return DEVICE.search(name) is not None


@lru_cache(maxsize=4096)
def names_device_variable(name: str) -> bool:
    """Whether a variable, by its name, holds a device and no number of one."""
    return DEVICE_VARIABLE.search(name) is not None


@lru_cache(maxsize=4096)
def names_dtype(name: str) -> bool:
    return DTYPE.search(name) is not None


@lru_cache(maxsize=4096)
def names_configuration(name: str) -> bool:
    return CONFIGURATION.search(name) is not None


@lru_cache(maxsize=4096)
def names_use(name: str) -> bool:
    """Whether a method of a module, by its name, lets it compute."""
    return USE.search(name) is not None


@lru_cache(maxsize=4096)
def names_training(name: str) -> bool:
    return TRAINING.search(name) is not None


@lru_cache(maxsize=4096)
def names_model(name: str) -> bool:
    return MODEL.search(name) is not None


@lru_cache(maxsize=4096)
def names_passage(name: str) -> bool:
    """Whether a function out of view, by its name, returns its first argument, as far as devices
    go."""
    return PASSAGE.search(name) is not None


def is_name(node: ir.Expression, name: str) -> bool:
    return isinstance(node, ir.Name) and node.id == name


def is_self(node: ir.Expression) -> bool:
    return is_name(node, "self")


def last_name(node: ir.Expression | None) -> str:
    """The name itself, or that of the attribute."""
    if isinstance(node, ir.Attribute):
        return node.name
    return node.id if isinstance(node, ir.Name) else ""


def source_name(node: ir.Expression) -> str:
    """The name that `x`, `x["a"]` or `x.view(..)` start with.

    Not that of `x.a`: an object that has attributes may keep some of them elsewhere.
    """
    while True:
        if isinstance(node, ir.Subscript):
            node = node.value
        elif isinstance(node, ir.Call) and isinstance(node.func, ir.Attribute):
            node = node.func.value
        else:
            break
    return node.id if isinstance(node, ir.Name) else ""


def words_of(code: ir.Node) -> frozenset[str]:
    """The names and the names of attributes that code is made of."""
    return frozenset(
        node.id if isinstance(node, ir.Name) else node.name
        for node in walk(code)
        if isinstance(node, (ir.Name, ir.Attribute))
    )


def is_main_guard(test: ir.Expression) -> bool:
    return (
        isinstance(test, ir.Compare)
        and isinstance(test.left, ir.Name)
        and test.left.id == "__name__"
        and test.ops == ("==",)
    )


def source_text(node: ir.Node | None) -> str:
    """An expression in words that are equal where the source is, spaces and comments aside."""
    names = (field for field in fields(node) if field.name != "at") if node is not None else ()
    return f"{type(node).__name__}({','.join(part_text(getattr(node, f.name)) for f in names)})"


def part_text(part: object) -> str:
    if isinstance(part, ir.Node):
        return source_text(part)
    return ",".join(map(part_text, part)) if isinstance(part, tuple) else repr(part)


def written(node: ir.Node) -> str:
    """An expression as the program writes it, arguments left out."""
    if isinstance(node, ir.Name):
        return node.id
    if isinstance(node, ir.Attribute):
        return f"{written(node.value)}.{node.name}"
    if isinstance(node, ir.Subscript):
        return f"{written(node.value)}[..]"
    if isinstance(node, ir.Call):
        return f"{written(node.func)}(..)"
    if isinstance(node, ir.Constant):
        return repr(node.value)
    if isinstance(node, ir.Binary):
        return f"{written(node.left)} {node.op} {written(node.right)}"
    if isinstance(node, ir.Unary):
        return f"{node.op}{' ' if node.op == 'not' else ''}{written(node.operand)}"
    if isinstance(node, ir.Display) and node.kind == "tuple" and len(node.items) > 1:
        return f"({', '.join(map(written, node.items))})"
    return ".."
