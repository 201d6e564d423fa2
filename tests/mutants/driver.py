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
from collections.abc import Callable, Iterator
from types import CodeType, FrameType
from typing import Any

DEVICE_ERROR = 3
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


def main(path: str) -> int:
    ran: set[CodeType] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            ran.add(frame.f_code)

    sys.argv = [path, "checkpoint.pt"]
    sys.setprofile(note)
    try:
        names = runpy.run_path(path, run_name="__main__")
        for part in unreached(names, path, ran):
            attempt(part)
    except Exception as error:
        sys.setprofile(None)
        print(f"{type(error).__name__}: {error}".replace("\n", " "))
        return DEVICE_ERROR if is_device_error(error) else 1
    finally:
        sys.setprofile(None)
    return 0


def unreached(names: dict[str, Any], path: str, ran: set[CodeType]) -> Iterator[Any]:
    """Modules whose forward, and functions that, did not run yet; asked anew after each."""
    for value in list(names.values()):
        if inspect.isfunction(value) and value.__code__.co_filename == path:
            if value.__code__ not in ran:
                yield value
        elif isinstance(value, type) and value.__module__ == "__main__":
            forward = value.__dict__.get("forward")
            if inspect.isfunction(forward) and forward.__code__ not in ran:
                yield value


def attempt(part: Any) -> None:
    torch = sys.modules["torch"]
    torch.manual_seed(0)
    target = module(part) if isinstance(part, type) else part
    fitting(target, target.forward if isinstance(part, type) else target)


def module(made: type) -> Any:
    """An instance, on the accelerator if there is one."""
    return fitting(lambda *arguments: made(*arguments).to(device()), made)


def fitting(target: Callable[..., Any], signature: Callable[..., Any]) -> Any:
    """What the first arguments that fit lead to; if none do, the error that says most."""
    errors: list[Exception] = []
    for arguments in itertools.islice(choices(signature), ATTEMPTS):
        try:
            return target(*arguments)
        except Exception as error:
            errors.append(error)
        if sum(map(is_device_error, errors)) >= ERRORS:
            break
    raise max(errors, key=is_device_error)


def is_device_error(error: Exception) -> bool:
    return DEVICE_ERRORS.search(str(error)) is not None


def device() -> Any:
    torch = sys.modules["torch"]
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def choices(function: Callable[..., Any]) -> Iterator[tuple[Any, ...]]:
    """Arguments for all parameters that need one."""
    parameters = [
        each
        for each in inspect.signature(function).parameters.values()
        if each.default is each.empty
        and each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
    ]
    for options in itertools.product(
        *(made(each.name, str(each.annotation)) for each in parameters)
    ):
        yield tuple(each() for each in options)


def made(name: str, annotation: str) -> list[Callable[[], Any]]:
    """Makers of values that a parameter of this name may take."""
    torch = sys.modules["torch"]
    if "device" in name or annotation == "<class 'torch.device'>":
        return [device, lambda: str(device())]
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
    torch = sys.modules["torch"]
    if whole:
        return lambda: torch.randint(0, 2, shape, device=device())
    return lambda: torch.randn(shape, device=device())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
