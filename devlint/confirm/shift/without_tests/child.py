"""A child process of `devlint shift`."""

from __future__ import annotations

import os
import socket
import threading
import time
import warnings
from typing import Any

from devlint.confirm.dry_run.request import Papers
from devlint.confirm.emulation.torch_requirement import EmulationError, required
from devlint.confirm.sandbox.native_io import redirect_libraries
from devlint.confirm.sandbox.python_io import redirect
from devlint.confirm.shift.package import Package
from devlint.confirm.shift.without_tests.request import Order
from devlint.confirm.shift.without_tests.telling import Telling

#: Names of this machine.
_HERE = (None, "localhost", "127.0.0.1", "::1")


def main(folder: str) -> None:
    """Do what the papers in the folder say, and tell of it there."""
    papers = Papers(folder)
    order = Order.read(papers)
    telling = Telling(papers.journal, order.passed)
    redirect()
    redirect_libraries()
    warnings.simplefilter("ignore")
    _leave_network()
    threading.Thread(target=_outlive_nobody, args=[os.getppid()], daemon=True).start()
    try:
        _work(order, telling)
        telling.tell("end")
    except EmulationError as error:
        telling.tell("refused", why=str(error))
    except Exception as error:
        telling.tell("refused", why=f"devlint itself failed: {type(error).__name__}: {error}")
    os._exit(0)  # Threads of the code under test may go on for ever.


def _leave_network() -> None:
    """What nobody has asked for loads nothing, and does not wait for it."""
    look_up = socket.getaddrinfo

    def refuse(host: Any, *args: Any, **kwargs: Any) -> Any:
        if host in _HERE:
            return look_up(host, *args, **kwargs)
        raise socket.gaierror(f"{host}: devlint shift has no network")

    socket.getaddrinfo = refuse


def _outlive_nobody(parent: int) -> None:
    """End where the parent was ended, and cannot end this process."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def _work(order: Order, telling: Telling) -> None:
    with required():
        import torch

        from devlint.confirm.shift.without_tests import search, shifted_calls, survey
    torch.set_num_threads(1)
    telling.tell("start", torch=torch.__version__)
    survey.look_in_project()
    if not order.is_shifted:
        search.search(survey.imported(order.package, telling), telling)
        return
    from devlint.confirm.shift.start import shifting

    package = Package([order.package])
    with shifting(package, goes_on=True, has_functions=order.has_functions) as shift:
        calls = shifted_calls.ShiftedCalls(shift, telling)
        calls.run(survey.imported(order.package, telling), order)
