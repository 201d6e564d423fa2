"""Calls a package without tests, in child processes, and learns of it whatever becomes of them."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace

from devlint.confirm.dry_run.followed_environment import unfollowed
from devlint.confirm.dry_run.own_process import own_process
from devlint.confirm.dry_run.request import Lines, papers_with
from devlint.confirm.dry_run.told import Entries
from devlint.confirm.sandbox.sandbox import Sandbox
from devlint.confirm.sandbox.signals import heard, in_words, leave
from devlint.confirm.shift.without_tests.account import Account, ShiftError
from devlint.confirm.shift.without_tests.request import Order

_CHILD = "devlint.confirm.shift.without_tests.child"
#: Seconds for one call or example, and for what comes before the first: imports.
_CALL = 20.0
_START = 180.0
#: What ends this process, and the child with it.
_SIGNALS = ("SIGTERM", "SIGHUP")
#: Seconds between two looks at what a child tells.
_BLINK = 0.05


@dataclass(frozen=True, slots=True)
class Terms:
    """`seconds`: for all of it. `hear`: told what is done now."""

    package: str
    seconds: float
    sandbox: Sandbox | None = None
    has_functions: bool = False
    watched: tuple[Lines, ...] = ()
    hear: Callable[[str], object] = str


def shifted_without_tests(terms: Terms) -> Account:
    """Look for calls that run on the CPU, for half of the time at most, and run them shifted."""
    account = Account(terms.sandbox.original if terms.sandbox else str)
    begin = time.monotonic()
    terms.hear("looking for calls that run on the CPU")
    Expedition(terms, account, begin + terms.seconds / 2).send(Order(terms.package))
    if terms.package not in account.imported:
        raise ShiftError(f"{terms.package} cannot be imported: {account.why_not(terms.package)}")
    account.end_stage((*account.classes, *account.examples))
    recipes, examples = tuple(account.recipes), tuple(account.clean_examples)
    if recipes or examples:
        terms.hear("shifting them")
        has_functions, watched = terms.has_functions, tuple(_inside(terms))
        order = Order(terms.package, True, has_functions, (), recipes, examples, watched)
        _send(Expedition(terms, account, begin + terms.seconds), order)
        account.end_stage((*(each.subject for each in recipes), *examples))
    return account


def _send(expedition: Expedition, order: Order) -> None:
    """What was found stays, also where no process gets to the end."""
    try:
        expedition.send(order)
    except ShiftError as error:
        if not expedition.account.shifted:
            raise
        expedition.account.lost[order.package] = str(error)


def _inside(terms: Terms) -> Iterator[Lines]:
    for path, first, last in terms.watched:
        yield terms.sandbox.inside(path) if terms.sandbox else path, first, last


@dataclass(slots=True)
class Expedition:
    """One process after the other: what ends a process is not tried again."""

    terms: Terms
    account: Account
    until: float
    _last: float = field(default=0.0)

    def send(self, order: Order) -> None:
        while time.monotonic() < self.until:
            passed = tuple(sorted({*self.account.passed, *self.account.lost}))
            if self._is_done(replace(order, passed=passed)):
                return

    def _is_done(self, order: Order) -> bool:
        """Whether a process has got to the end of it."""
        root = self.terms.sandbox.root if self.terms.sandbox else None
        with papers_with(asdict(order), root) as papers:
            self.account.start()
            with self._child(papers.folder) as child:
                why = self._followed(child, Entries(papers.journal))
        if self.account.has_ended:
            return True
        self.account.lose(why)
        return False

    def _followed(self, child: subprocess.Popen[bytes], entries: Entries) -> str:
        """Until it ends, or is to be ended; why it did."""
        self._last = time.monotonic()
        while True:
            code = child.poll()
            self._take(entries)
            if code is not None:
                return in_words(code) if code < 0 else f"left with exit code {code}"
            now = time.monotonic()
            if now > self.until:
                self.account.is_out_of_time = True
                return "not done when time was up"
            limit = _CALL if self.account.is_at_work else _START
            if now - self._last > limit:
                return f"ended after {limit:g} s"
            time.sleep(_BLINK)

    def _take(self, entries: Entries) -> None:
        for about, told, _ in entries:
            self._last = time.monotonic()
            self.account.take(about, told)

    @contextmanager
    def _child(self, folder: str) -> Iterator[subprocess.Popen[bytes]]:
        """A process in a session of its own, whose end is that of all that it has started."""
        sandbox = self.terms.sandbox
        environment = unfollowed(sandbox.environment() if sandbox else os.environ)
        nothing = subprocess.DEVNULL
        child = subprocess.Popen(
            own_process(_CHILD, folder),
            cwd=sandbox.folder if sandbox else None,
            env={"MPLBACKEND": "Agg", **environment},
            stdin=nothing,
            stdout=nothing,
            stderr=nothing,
            start_new_session=True,
        )
        try:
            with heard(_SIGNALS, leave):
                yield child
        finally:
            _end(child)


def _end(child: subprocess.Popen[bytes]) -> None:
    with suppress(OSError):
        if os.name == "posix":
            os.killpg(child.pid, signal.SIGKILL)
        else:
            child.kill()
    child.wait()
