"""A child process of `devlint shift`."""

from __future__ import annotations

import os
import warnings

from devlint.confirm.dry_run.request import Papers
from devlint.confirm.emulation.torch_requirement import EmulationError, required
from devlint.confirm.sandbox.native_io import redirect_libraries
from devlint.confirm.sandbox.python_io import redirect
from devlint.confirm.shift.package import Package
from devlint.confirm.shift.without_tests.request import Order
from devlint.confirm.shift.without_tests.telling import Telling


def main(folder: str) -> None:
    """Do what the papers in the folder say, and tell of it there."""
    papers = Papers(folder)
    order = Order.read(papers)
    telling = Telling(papers.journal, order.passed)
    redirect()
    redirect_libraries()
    warnings.simplefilter("ignore")
    try:
        _work(order, telling)
        telling.tell("end")
    except EmulationError as error:
        telling.tell("refused", why=str(error))
    os._exit(0)  # Threads of the code under test may go on for ever.


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
