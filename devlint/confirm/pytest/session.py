"""A run of pytest on emulated CUDA, which tells the device events that nobody expected."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import ExitStack
from typing import Any

import pytest
import torch

from devlint.confirm.device_tags.device_event import (
    DeviceError,
    DeviceEvent,
    ExportError,
    causes,
    distinct,
    from_plain,
    plain,
)
from devlint.confirm.device_tags.record import Record
from devlint.confirm.dry_run.report.event_text import told
from devlint.confirm.emulation.emulate import emulated_cuda, running
from devlint.confirm.emulation.torch_requirement import EmulationError
from devlint.confirm.pytest.children import Children
from devlint.confirm.pytest.hidden_frames import hide_our_frames
from devlint.confirm.torch_patches.session import Emulation
from devlint.report.text import count

#: What a report carries its events as, also from a worker of pytest-xdist.
_CARRIED = "devlint_events"
#: What a worker sends as it ends: lines that say what it did not see.
_GAPS = "devlint_gaps"


def start(config: pytest.Config, device: str, devices: int | None) -> None:
    """Emulate CUDA until pytest ends, unless there is a real one and `device` accepts it.

    Where it is emulated already, by what started this process, it stays that one. Raise
    `pytest.UsageError` where that cannot be.
    """
    try:
        _start(config, device, devices)
    except EmulationError as error:
        raise pytest.UsageError(str(error)) from error


def _start(config: pytest.Config, device: str, devices: int | None) -> None:
    if outer := running():
        _join(outer, config, device, devices)
        return
    is_real = torch.cuda.is_available()
    if device == "cuda" and not is_real:
        raise pytest.UsageError("--devlint-device cuda: torch.cuda.is_available() is False")
    if device != "emulated" and is_real:
        config.pluginmanager.register(Header(f"CUDA ({torch.cuda.get_device_name()})"))
        return
    _emulate(config, devices or 1)


def _emulate(config: pytest.Config, devices: int) -> None:
    emulation, children = ExitStack(), Children(devices)
    config.add_cleanup(children.end)
    cuda = emulated_cuda(devices=devices, hear=children.hear)
    record = emulation.enter_context(cuda)
    config.add_cleanup(emulation.close)
    _test(config, record, devices, children)


def _join(outer: Emulation, config: pytest.Config, device: str, devices: int | None) -> None:
    there = outer.devices.count
    if device == "cuda":
        raise pytest.UsageError("--devlint-device cuda: CUDA is emulated already")
    if devices not in (None, there):
        raise pytest.UsageError(f"CUDA is emulated already, with {count(there, 'device')}")
    _test(config, outer.record, there, None)


def _test(config: pytest.Config, record: Record, devices: int, children: Children | None) -> None:
    hide_our_frames()
    where = f"emulated CUDA ({count(devices, 'device')})"
    config.pluginmanager.register(Header(where))
    config.pluginmanager.register(Tested(record, where, children))


class Header:
    """Says on what the tests run."""

    def __init__(self, where: str) -> None:
        self._where = where

    def pytest_report_header(self) -> str:
        return f"devlint: {self._where}"


class Tested:
    """The hooks of a run on emulated CUDA.

    An event is told if its exception made a test or an import fail, or ended a thread or a process.
    What `pytest.raises`, an `except`, or `xfail` awaits is none's failure, and is not told.
    `children`: none where another run tells of them.
    """

    def __init__(self, record: Record, where: str, children: Children | None) -> None:
        self._record, self._where, self._children = record, where, children
        self._of_threads: list[DeviceEvent] = []
        self._told: list[DeviceEvent] = []
        self._gaps: list[str] = []

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        """After pytest has put its own hook for threads."""
        before = threading.excepthook
        config.add_cleanup(lambda: setattr(threading, "excepthook", before))

        def note(arguments: threading.ExceptHookArgs) -> None:
            self._of_threads += self._events(arguments.exc_value)
            before(arguments)

        threading.excepthook = note

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        self._put(report, call.excinfo if report.failed else None)
        if self._children and report.when == "teardown":
            self._children.go_on()
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self,
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        report = yield
        call = getattr(report, "call", None)
        self._put(report, call.excinfo if call else None)
        return report

    def _put(self, report: Any, failure: pytest.ExceptionInfo[BaseException] | None) -> None:
        """In the report, with which pytest-xdist sends them."""
        events = [*self._of_threads, *self._events(failure.value if failure else None)]
        self._of_threads = []
        if self._children:
            of_children = self._children.events(has_failed=report.failed)
            events += () if hasattr(report, "wasxfail") else of_children
        if events:
            setattr(report, _CARRIED, [plain(event) for event in events])

    def _events(self, error: BaseException | None) -> list[DeviceEvent]:
        """Those that raised `error`, or what it came of."""
        refused = [each for each in causes(error) if isinstance(each, (DeviceError, ExportError))]
        # `DataParallel` raises a new exception of the same type.
        events = (each.event or self._record.last for each in refused)
        return [each for each in events if each]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._told += map(from_plain, getattr(report, _CARRIED, ()))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._told += map(from_plain, getattr(report, _CARRIED, ()))

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_setupnodes(self) -> None:
        """Workers follow what they start; this process runs no tests."""
        if self._children:
            self._children.end()
            self._children = None

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self._children:
            self._told += self._children.events(has_failed=False)
            self._gaps += self._children.gaps()
            output = getattr(session.config, "workeroutput", {})
            output[_CARRIED] = [plain(event) for event in self._told]
            output[_GAPS] = self._gaps

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """A worker that crashed has none."""
        output = getattr(node, "workeroutput", {})
        self._told += map(from_plain, output.get(_CARRIED, ()))
        self._gaps += output.get(_GAPS, ())

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if events := distinct(self._told):
            terminalreporter.section(f"device events on {self._where}")
        for event in events:
            for line in told(event):
                terminalreporter.line(line)
            terminalreporter.line("")
        if self._gaps:
            terminalreporter.section(f"not seen on {self._where}")
        for gap in self._gaps:
            terminalreporter.line(gap)
