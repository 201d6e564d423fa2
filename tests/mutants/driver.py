"""Runs a program, then what it only defines; exits with 3 on a device error.

What is defined gets made-up arguments. Run as `COMMAND driver.py PROGRAM`, where COMMAND runs
Python scripts on a machine with CUDA or on one that emulates it. It stands alone: COMMAND need not
know the tests.
"""

from __future__ import annotations

import inspect
import itertools
import re
import runpy
import sys
from collections import OrderedDict
from collections.abc import Callable, Container, Iterator
from types import CodeType, FrameType
from typing import Any, TypeAlias

DEVICE_ERROR = 3
#: A function, by its name and first line.
Place: TypeAlias = tuple[str, int]
#: What PyTorch says when devices are at odds.
DEVICE_ERRORS = re.compile(
    r"same device|device type|weight type .* should be the same|CPU int64 tensor"
    r"|should be either on|to numpy\. Use Tensor\.cpu|cannot pin|Attempting to deserialize"
    r"|non-leaf Tensor|device ordinal|device type for generator|at least two devices|on CPU, but"
)
#: Shapes of an argument, most usual first, and whether it holds integers.
INPUTS = (
    ((2, 4), False),
    ((2, 3), True),
    ((2, 3, 4), False),
    ((2, 3, 8, 8), False),
    ((4,), False),
    ((3,), True),
    ((4, 4), False),
    ((1,), False),
    ((2, 8), False),
    ((2, 16), False),
    ((2, 5, 8), False),
)
#: Attempts at one function, and those of them that may end in a device error.
ATTEMPTS, ERRORS = 400, 12


class Options:
    """Command-line options or a configuration: any attribute has a likely value."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith(("no_", "__")):
            return False
        if "device" in name:
            return device()
        if "cuda" in name or "gpu" in name:
            return True
        return "checkpoint.pt" if "path" in name or name == "resume" else 4


def main(path: str) -> int:
    ran: set[Place] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename == path:
            ran.add(place(frame.f_code))

    with open(path, encoding="utf-8") as file:
        text = file.read()
    sys.argv = [path, "checkpoint.pt"] if "sys.argv" in text else [path]
    sys.setprofile(note)
    try:
        names = runpy.run_path(path, run_name="__main__")
        for part in list(names.values()):
            drive(part, path, ran)
    except Exception as error:
        print(f"{type(error).__name__}: {error}".replace("\n", " "))
        return DEVICE_ERROR if is_device_error(error) else 1
    finally:
        sys.setprofile(None)
    return complete(compile(text, path, "exec"), ran)


def place(code: CodeType) -> Place:
    return code.co_name, code.co_firstlineno


def complete(program: CodeType, ran: Container[Place]) -> int:
    """Nothing is known of a program with functions that did not run."""
    rest = [each.co_name for each in defined(program, ran)]
    if rest:
        print(f"did not run: {', '.join(rest)}")
    return int(bool(rest))


def defined(whole: CodeType, ran: Container[Place]) -> Iterator[CodeType]:
    """The functions below that did not run."""
    for each in whole.co_consts:
        if isinstance(each, CodeType) and not each.co_name.startswith("<"):
            if place(each) not in ran:
                yield each
            yield from defined(each, ran)


def drive(part: Any, path: str, ran: Container[Place]) -> None:
    """Runs a function, or the methods of a class, if they did not run yet."""
    if inspect.isfunction(part) and code(part).co_filename == path:
        if place(code(part)) not in ran:
            fitting(part, part)
    elif isinstance(part, type) and part.__module__ == "__main__":
        methods = [each for each in vars(part).values() if inspect.isfunction(each)]
        idle = [each for each in methods if place(code(each)) not in ran]
        target = instance(part) if idle else None
        for method in idle:
            if method.__name__ != "__init__" and place(code(method)) not in ran:
                run = part.__call__ if method.__name__ == "forward" else method
                fitting(run.__get__(target), method.__get__(target))


def code(function: Any) -> CodeType:
    """What is below decorators."""
    below: CodeType = inspect.unwrap(function).__code__
    return below


def instance(made: type) -> Any:
    """On the accelerator, if it is a module and there is one."""
    whole = fitting(made, made)
    import torch

    return whole.to(device()) if isinstance(whole, torch.nn.Module) else whole


def fitting(target: Callable[..., Any], signature: Callable[..., Any]) -> Any:
    """What the first arguments that fit lead to; if none do, the error that says most."""
    import torch

    torch.manual_seed(0)
    errors: list[Exception] = []
    for arguments in itertools.islice(choices(signature), ATTEMPTS):
        try:
            return target(*arguments.args, **arguments.kwargs)
        except Exception as error:
            errors.append(error)
        if sum(map(is_device_error, errors)) >= ERRORS:
            break
    raise max(errors, key=is_device_error)


def is_device_error(error: Exception) -> bool:
    return DEVICE_ERRORS.search(str(error)) is not None


def device() -> Any:
    import torch

    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def choices(function: Callable[..., Any]) -> Iterator[inspect.BoundArguments]:
    """Arguments for all parameters that need one, and for devices."""
    signature = inspect.signature(function)
    parameters = [
        each
        for each in signature.parameters.values()
        if (each.default is each.empty or "device" in each.name)
        and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
    ]
    makers = (made(each.name, str(each.annotation)) for each in parameters)
    for options in itertools.product(*makers):
        bound = inspect.BoundArguments(signature, OrderedDict())
        for parameter, make in zip(parameters, options, strict=True):
            bound.arguments[parameter.name] = make()
        yield bound


def made(name: str, annotation: str) -> list[Callable[[], Any]]:
    """Makers of values that a parameter of this name may take."""
    import torch

    if "device" in name or annotation == "<class 'torch.device'>":
        return [device, lambda: str(device())]
    if name in ("args", "opt", "opts", "options", "config", "cfg", "hparams"):
        return [Options]
    if "generator" in name or "Generator" in annotation:
        return [lambda: torch.Generator(device=device())]
    if name in ("path", "file", "filename", "checkpoint"):
        return [lambda: "checkpoint.pt"]
    if "model" in name or name in ("net", "module", "encoder", "decoder"):
        return [lambda: torch.nn.Linear(4, 4).to(device())]
    if "loader" in name or name in ("batches", "data"):
        return [lambda: [(torch.randn(2, 4), torch.randint(0, 4, (2,)))]]
    if "optim" in name:
        return [lambda: torch.optim.SGD(torch.nn.Linear(4, 4).to(device()).parameters(), lr=0.1)]
    if annotation in ("int", "<class 'int'>") or name in ("n", "dim", "size", "length", "classes"):
        return [lambda: 4]
    if annotation in ("float", "<class 'float'>") or name in ("p", "eps", "lr", "scale"):
        return [lambda: 0.5]
    if annotation in ("bool", "<class 'bool'>") or name.startswith(("use_", "is_")):
        return [lambda: True]
    others = [lambda: 4, lambda: torch.nn.Linear(4, 4).to(device())]
    return [*(maker(shape, whole) for shape, whole in INPUTS), *others]


def maker(shape: tuple[int, ...], whole: bool) -> Callable[[], Any]:
    import torch

    if whole:
        return lambda: torch.randint(0, 2, shape, device=device())
    return lambda: torch.randn(shape, device=device())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
