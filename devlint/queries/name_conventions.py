"""What names alone say where nothing else is known; the comments name what each pays for."""

from __future__ import annotations

import re
from dataclasses import fields
from functools import lru_cache

from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.queries.dotted_names import last_word
from devlint.values.device import NAMES, ON_CPU, Device, chosen

DEVICE = re.compile(r"(^|_)(device|rank)$", re.I)
DEVICE_VARIABLE = re.compile(r"(^|_)device$", re.I)
ACCELERATOR = re.compile(r"(^|(?<!^no)(?<!_no)(?<!single)(?<!multi)_)(cuda|gpus?)$", re.I)
CPU_DEVICE = re.compile(r"(^|[_.])cpu_device$", re.I)
CPU_FLAG = re.compile(r"(^|_)(cpu|no_cuda|no_gpus?)$", re.I)
#: Methods by which the modules of PyTorch, and the models of transformers, compute.
USES = frozenset({"__call__", "forward", "generate"})
DTYPE = re.compile(r"(^|[._])dtype$", re.I)
BACKEND = re.compile(r"cuda|mps|xpu", re.I)
FOLDERS = frozenset({"tmp_path", "tmpdir"})
#: The decorator of what pytest gives to the parameters of tests by name.
FIXTURES = frozenset({"fixture"})
DATA_CLASS = re.compile(r"(Dataset|Sampler)$|Collat")
TRAINING = re.compile(r"^(train|fit|finetune|fine_tune|optimize|pretrain)(_|$)|_(train|fit)$", re.I)
NUMERIC_STATE = re.compile(r"(scaler|scheduler)$")
TEST_FRAMEWORKS = frozenset({"pytest", "unittest"})
TEST_FILE = re.compile(r"test_.*|.*_test\.\w+|conftest\.\w+")


# Finds c01-flair-bicross-decoder (flair) and c13-timm-mixup-callsite (timm) by `device`. `rank` is
# what launchers hand to `.to(..)` and `.cuda(..)`: c03-examples-multinode (examples).
@lru_cache(maxsize=4096)
def names_device(name: str) -> bool:
    """Whether a name is that of a device, or of the number of one."""
    return DEVICE.search(name) is not None


# What trainers of diffusers and accelerate give to `.to(..)` as `weight_dtype`.
@lru_cache(maxsize=4096)
def names_dtype(text: str) -> bool:
    """Whether what is given to `to`, by how it is written, is a dtype."""
    return DTYPE.search(text) is not None


# The page's example, of hard-coded-accelerator and of load-without-map-location: their fixes write
# the device as the program names it. `map_location` takes no `rank`.
@lru_cache(maxsize=4096)
def names_device_variable(name: str) -> bool:
    """Whether a variable, by its name, holds a device and no number of one."""
    return DEVICE_VARIABLE.search(name) is not None


# Silences DEV201 of what tests make on a fixture `cpu_device`, as in cdenn016/V1_Transformer's
# tests/transformer/test_ffn.py:145.
def place_named(text: str) -> Device:
    """The device that a name stands for, or an attribute, of which nothing else is known."""
    return ON_CPU if CPU_DEVICE.search(text) else chosen(text)


# With `is_available` it finds c08-udacity-nproll (deep-learning-v2-pytorch) and
# c13-pyg-hiersage-argsdevice (pytorch_geometric); flags of the user's own, as `args.cuda`, are
# tested in the same way: c3-lightning-load-from-metrics-map (pytorch-lightning) by `on_gpu`.
# Those of how many there are tell nothing else: `single_gpu` of MixCo's encoder.py, `multi_gpu` of
# LibContinual's ocm.py.
@lru_cache(maxsize=4096)
def names_accelerator(name: str) -> bool:
    """Whether a flag, by its name, says that there is an accelerator; `no_cuda` does not."""
    return ACCELERATOR.search(name) is not None


# Silences DEV101 of what cellpose's `load_model(.., cpu=not self.gpu)` builds anew, in its
# resnet_torch.py; `args.no_cuda` is the flag of PyTorch's own examples, as in mnist/main.py.
@lru_cache(maxsize=4096)
def names_cpu(name: str) -> bool:
    """Whether a flag, by its name, says that all is on the CPU."""
    return CPU_FLAG.search(name) is not None


# Silences DEV701 below `if cuda_device >= 0` in c38-allennlp-elmo-cuda-kwarg (allennlp,
# before.py:126) and `is_mps_available()` in torch_geometric/testing/decorators.py:228.
@lru_cache(maxsize=4096)
def mentions_backend(name: str) -> bool:
    """Whether a name in a test says that the test is one of accelerators."""
    return BACKEND.search(name) is not None


# `generate` is shown by the specs of submodule-after-move and of transformers.
def names_use(name: str) -> bool:
    """Whether a method of a module, by its name, lets it compute."""
    return name in USES


# The page's example of unregistered-module: lists of `nn.Linear(..)`, as the bug
# c07-cnntext-convlist (cnn-text-classification-pytorch) has them.
def names_class(name: str) -> bool:
    """Whether what is called is a class, by the capital that its name begins with."""
    return name[:1].isupper()


# Silences DEV203 in timm/data/mixup.py:268 (`FastCollateMixup`) and in
# torch_geometric/distributed/dist_neighbor_sampler.py:376 (`DistNeighborSampler`).
def names_data_class(name: str) -> bool:
    """Whether a class, by its name or that of a base, makes data, on the CPU."""
    return DATA_CLASS.search(name) is not None


# Silences DEV401 of what tests write: test_serialization.py of several packages.
def names_temporary(name: str) -> bool:
    """Whether an argument, by its name, is a folder that pytest makes for one test."""
    return name in FOLDERS


# What pytest collects where nothing else is configured.
def names_test(name: str) -> bool:
    """Whether a function or method, by its name, is a test."""
    return name.startswith("test")


# Those that packages test themselves with; others are rare.
def names_test_framework(package: str) -> bool:
    return package in TEST_FRAMEWORKS


# The same of files: `python_files` of pytest, and what it takes fixtures from.
def names_test_file(name: str) -> bool:
    return TEST_FILE.fullmatch(name) is not None


# Silences DEV402 of a program's own checkpoint, written by what trains elsewhere: main.py:114 of
# cnn-text-classification-pytorch, test_svgp_gp_regression.py:55 of gpytorch.
@lru_cache(maxsize=4096)
def names_training(name: str) -> bool:
    """Whether a function, by its name, trains."""
    return TRAINING.search(name) is not None


# Silences DEV402 on the state of schedulers and scalers in c94-accelerate-load-state-no-map
# (accelerate, after.py:123) and c100-accelerate-optimizer-state-no-map (after.py:174).
def names_numeric_state(name: str) -> bool:
    """Whether an object, by its name, is a scheduler or scaler, whose state is plain numbers."""
    return NUMERIC_STATE.search(name) is not None


def names_destination(node: ir.Expression) -> bool:
    """Whether an argument of `to` is a device, by what it says or is called; what else it may be is
    a dtype or a tensor."""
    match node:
        case ir.Constant(value=int(number)):
            return not isinstance(number, bool)
        case ir.Constant(value=str(text)) | ir.Text(pieces=(str(text), *_)):
            return text.partition(":")[0] in NAMES - {"cpu", "meta"}
        case ir.Binary(left=number):
            return names_destination(number)
        case ir.Call(func=ir.Name(id="int")):
            return True
        case ir.Call(func=ir.Attribute(name="get"), args=(ir.Constant(value=str(word)), *_)):
            pass
        case ir.Subscript(index=ir.Constant(value=str(word))):
            pass
        case ir.Subscript(value=several):
            word = last_word(several).removesuffix("s")
        case _:
            word = last_word(node)
    return names_device(word) or names_accelerator(word)


def is_name(node: ir.Node, name: str) -> bool:
    return isinstance(node, ir.Name) and node.id == name


def is_self(node: ir.Expression) -> bool:
    return is_name(node, "self")


def last_name(node: ir.Expression | None) -> str:
    """The name itself, or that of the attribute."""
    if isinstance(node, ir.Attribute):
        return node.name
    return node.id if isinstance(node, ir.Name) else ""


def item_name(node: ir.Expression | None) -> str:
    """The text by which an item is asked for: `options["device"]`."""
    key = node.index if isinstance(node, ir.Subscript) else None
    return key.value if isinstance(key, ir.Constant) and isinstance(key.value, str) else ""


def source_name(node: ir.Expression) -> str:
    """The name that `x`, `x["a"]` or `x.view(..)` start with.

    Not that of `x.a`: an object that has attributes may keep some of them elsewhere.
    """
    whole = base(node)
    return whole.id if isinstance(whole, ir.Name) else ""


def base(node: ir.Expression) -> ir.Expression:
    """What `x.a["b"].view(..)` takes an item of, or calls methods of: `x.a`."""
    while True:
        if isinstance(node, ir.Subscript):
            node = node.value
        elif isinstance(node, ir.Call) and isinstance(node.func, ir.Attribute):
            node = node.func.value
        else:
            return node


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


#: Operators that bind less than others.
SUMS = frozenset("+-")


def operand(node: ir.Expression, op: str, *, is_right: bool = False) -> str:
    """An operand as it is written, in parentheses where it is computed first only by them."""
    text = written(node)
    if not isinstance(node, ir.Binary):
        return text
    is_stronger = op in SUMS and node.op not in SUMS
    is_alike = (op in SUMS) == (node.op in SUMS) and not is_right
    return text if is_stronger or is_alike else f"({text})"


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
        left, right = operand(node.left, node.op), operand(node.right, node.op, is_right=True)
        return f"{left} {node.op} {right}"
    if isinstance(node, ir.Unary):
        return f"{node.op}{' ' if node.op == 'not' else ''}{written(node.operand)}"
    if isinstance(node, ir.Display) and node.kind == "tuple" and len(node.items) > 1:
        return f"({', '.join(map(written, node.items))})"
    return ".."
