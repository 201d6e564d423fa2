"""A run of `pytest --devlint-shift`: tests for the CPU, whose calls into a package run on CUDA."""

from __future__ import annotations

import inspect
from collections.abc import Generator
from contextlib import ExitStack
from typing import Any

import pytest
import torch

from devlint.confirm.dry_run.report.event_text import told
from devlint.confirm.emulation.emulate import running
from devlint.confirm.emulation.torch_requirement import EmulationError
from devlint.confirm.pytest.hidden_frames import hide_our_frames
from devlint.confirm.shift.calls import Shift
from devlint.confirm.shift.package import Package, PackageError, package_of
from devlint.confirm.shift.report import ReportError, ReportFile, account, context
from devlint.confirm.shift.start import shifting
from devlint.report.text import count
from devlint.rule.self_reports import BreaksWhenShifted

#: What a worker of pytest-xdist sends as it ends.
_TALLY = "devlint_shift"


def start(config: pytest.Config) -> None:
    """Shift until pytest ends. Raise `pytest.UsageError` where that cannot be."""
    options = config.known_args_namespace
    if running() or options.devlint_device or options.devlint_devices:
        raise pytest.UsageError(
            "--devlint-shift emulates CUDA itself: leave --devlint-device out, and run it alone"
        )
    try:
        names = options.devlint_shift or package_of(config.rootpath)
        package = Package((each for each in names.split(",") if each), config.rootpath)
        path = options.devlint_shift_report
        report = ReportFile.of(path, options.devlint_shift_format) if path else None
        stack = ExitStack()
        has_functions = options.devlint_shift_functions
        shifted = shifting(package, goes_on=report is not None, has_functions=has_functions)
        shift = stack.enter_context(shifted)
    except (PackageError, ReportError, EmulationError) as error:
        raise pytest.UsageError(f"--devlint-shift: {error}") from error
    config.add_cleanup(stack.close)
    hide_our_frames()
    config.pluginmanager.register(ShiftedTests(shift, report))


class ShiftedTests:
    """The hooks of a shifted run."""

    def __init__(self, shift: Shift, report: ReportFile | None) -> None:
        self._shift, self._report = shift, report
        self._problem = ""

    def pytest_report_header(self) -> str:
        names = ", ".join(self._shift.package.names)
        return f"devlint: calls into {names} are shifted to emulated CUDA"

    def pytest_itemcollected(self, item: pytest.Item) -> None:
        """Where tests and what they have in common are defined is not the package."""
        tests = self._shift.package.tests
        tests.add(str(item.path))
        if code := getattr(inspect.unwrap(getattr(item, "function", len)), "__code__", None):
            tests.add(code.co_filename)

    def pytest_plugin_registered(self, plugin: object) -> None:
        if path := getattr(plugin, "__file__", None):
            self._shift.package.tests.add(path)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        self._shift.test = item.nodeid
        return (yield)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output[_TALLY] = self._shift.tally.plain()
        elif self._report:
            try:
                self._report.write(self._shift.tally, torch.__version__)
            except ReportError as error:
                self._problem = str(error)
                session.exitstatus = pytest.ExitCode.USAGE_ERROR

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """A worker that crashed has counted nothing."""
        if tally := getattr(node, "workeroutput", {}).get(_TALLY):
            self._shift.tally.add(tally)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        tally = self._shift.tally
        terminalreporter.section("shifted to emulated CUDA")
        for each in tally.events:
            first, *others = told(each.event)
            for line in (f"{first} {context(each)} [{BreaksWhenShifted.code}]", *others, ""):
                terminalreporter.line(line)
        if terminalreporter.verbosity > 0:
            for place, number in tally.unjudged.most_common():
                terminalreporter.line(f"{place}: {count(number, 'event')} not judged")
        terminalreporter.line(account(tally))
        if self._report:
            terminalreporter.line(self._problem or f"report: {self._report.path}")
