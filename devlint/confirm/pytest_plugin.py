"""Tests on emulated CUDA: `pytest --devlint-device`, `--devlint-shift`, fixture `emulated_cuda`.

Every pytest that finds devlint installed loads this, so it imports nothing before it is asked to.
"""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from devlint.confirm.device_tags.device_event import DeviceEvent


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("devlint")
    group.addoption(
        "--devlint-device",
        choices=("auto", "cuda", "emulated"),
        help="Run the tests on emulated CUDA, on the real one (an error where there is none), or "
        "on the emulated one where there is no real one.",
    )
    group.addoption(
        "--devlint-devices",
        type=_count,
        metavar="N",
        help="How many devices to emulate (default: 1).",
    )
    _add_shift(group)


def _add_shift(group: pytest.OptionGroup) -> None:
    group.addoption(
        "--devlint-shift",
        nargs="?",
        const="",
        metavar="PACKAGE,..",
        help="Run the tests as they are, and the modules of a package that they call on emulated "
        "CUDA (default: the package of the rootdir).",
    )
    group.addoption(
        "--devlint-shift-functions",
        action="store_true",
        help="Run its public functions and the methods of its classes there, too.",
    )
    group.addoption(
        "--devlint-shift-report",
        metavar="FILE",
        help="Go on where CUDA would refuse, and write a report of it, in the format that the "
        "suffix of FILE names.",
    )
    group.addoption(
        "--devlint-shift-format",
        metavar="FORMAT",
        help="The format of that report: any of devlint check --output-format.",
    )


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise ArgumentTypeError(f"{text!r} is no number of devices")
    return int(text)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Before anything of the project is imported: `skipif` is evaluated when modules are."""
    options = early_config.known_args_namespace
    if options.devlint_shift is not None:
        _session("shifted_session", "--devlint-shift").start(early_config)
    elif options.devlint_device is not None:
        session = _session("session", "--devlint-device")
        session.start(early_config, options.devlint_device, options.devlint_devices)


def _session(name: str, option: str) -> Any:
    """The module that starts a run with the option, which imports torch.

    Raise `pytest.UsageError` where this PyTorch cannot be emulated with.
    """
    from devlint.confirm.emulation.torch_requirement import EmulationError, required, unmet

    if problem := unmet(option):
        raise pytest.UsageError(problem)
    try:
        with required():
            return import_module(f"devlint.confirm.pytest.{name}")
    except EmulationError as error:
        raise pytest.UsageError(str(error)) from error


@pytest.fixture(name="emulated_cuda")
def _emulated_cuda(request: pytest.FixtureRequest) -> Iterator[list[DeviceEvent]]:
    """Emulated CUDA until the test ends; the list of what it refused.

    `@pytest.mark.parametrize("emulated_cuda", [1, 2], indirect=True)` runs a test with one device,
    and with two. `devlint.testing.emulated_cuda` says more.
    """
    from devlint.confirm.pytest.hidden_frames import hide_our_frames
    from devlint.testing import emulated_cuda

    hide_our_frames()
    with emulated_cuda(devices=getattr(request, "param", None)) as events:
        hide_our_frames()  # Of what was imported for it.
        yield events
