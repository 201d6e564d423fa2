"""`pytest --devlint-device`: a project's own tests on a CUDA that is not there.

Every pytest that finds devlint installed loads this, so it imports nothing before it is asked to.
"""

from __future__ import annotations

from argparse import ArgumentTypeError

import pytest


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
        default=1,
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
