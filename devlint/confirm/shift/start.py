"""Begins a shifted run: CUDA is emulated, and calls into the package are noticed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from devlint.confirm.device_tags.carried import refined_claims
from devlint.confirm.emulation.emulate import emulated_cuda, running
from devlint.confirm.emulation.torch_requirement import EmulationError
from devlint.confirm.shift import functions, interception, sight
from devlint.confirm.shift.calls import Shift
from devlint.confirm.shift.package import Package


@contextmanager
def shifting(
    package: Package, *, goes_on: bool = False, has_functions: bool = False
) -> Iterator[Shift]:
    """Until the block ends, outermost calls into the package run as if they were made on CUDA.

    `has_functions`: not of its modules alone, but of its functions and methods, too. Raises
    `EmulationError` where CUDA is emulated already.
    """
    with refined_claims(), emulated_cuda() as record:
        emulation = running()
        if emulation is None:
            raise EmulationError("CUDA is not emulated")
        shift = Shift(package, emulation.devices.cuda(), goes_on)
        record.judge = shift.judge
        sight.install(emulation, package)
        interception.install(emulation, shift)
        if has_functions:
            functions.install(emulation, shift)
        yield shift
