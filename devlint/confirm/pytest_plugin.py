"""`pytest --devlint-device`, and the fixture `emulated_cuda`: tests on emulated CUDA.

Every pytest that finds devlint installed loads this, so it imports nothing before it is asked to.
"""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Iterator
from typing import TYPE_CHECKING

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


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise ArgumentTypeError(f"{text!r} is no number of devices")
    return int(text)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Before anything of the project is imported: `skipif` is evaluated when modules are."""
    options = early_config.known_args_namespace
    if options.devlint_device is None:
        return
    from devlint.confirm.emulation.torch_requirement import EmulationError, required, unmet

    if problem := unmet("--devlint-device"):
        raise pytest.UsageError(problem)
    try:
        with required():
            from devlint.confirm.pytest.session import start
        start(early_config, options.devlint_device, options.devlint_devices)
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
