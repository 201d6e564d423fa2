"""Runs programs that are given on stdin, each in a process of its own, and tells how each ended.

Run as `python -m devlint.confirm.witnesses.runner`, for this process imports torch, which its
children, as forks of it, need not do again.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from importlib import import_module
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from tempfile import mkdtemp
from time import monotonic
from typing import Any

import torch

from devlint.confirm.emulation.real_cuda import cuda, has_cuda
from devlint.confirm.emulation.torch_requirement import EmulationError, required
from devlint.confirm.sandbox.signals import in_words

#: Forks of other systems may not use what their parent has loaded.
_CONTEXT: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
_FILE = "<witness>"
#: How many emulated accelerators there are: a witness may need a second one.
DEVICES = 2
#: How many run at once; on CUDA each has a context of some hundred megabytes.
_AT_ONCE = os.cpu_count() or 1
_AT_ONCE_ON_CUDA = min(_AT_ONCE, 4)


@dataclass(frozen=True, slots=True)
class Trial:
    """A function at work in a process; `deadline`: when it is ended."""

    key: str
    process: BaseProcess
    answer: Connection
    deadline: float
    limit: float

    @classmethod
    def start(cls, key: str, work: Callable[..., None], limit: float) -> Trial:
        answer, end = _CONTEXT.Pipe(duplex=False)
        process = _CONTEXT.Process(target=work, args=(key, end))
        process.start()
        end.close()
        return cls(key, process, answer, monotonic() + limit, limit)

    @property
    def is_over(self) -> bool:
        return self.answer.poll() or not self.process.is_alive() or self.deadline < monotonic()

    def result(self) -> Any:
        """What it answered, else how it ended; the process is no more."""
        try:
            return self.answer.recv() if self.answer.poll() else self._end()
        except EOFError:
            return self._end()
        finally:
            self.process.kill()
            self.process.join()

    def _end(self) -> str:
        if monotonic() < self.deadline:
            self.process.join(self.deadline - monotonic())
        code = self.process.exitcode
        if code is None:
            return f"no end within {self.limit:g} s"
        return in_words(code) if code < 0 else f"exit code {code}"


def results(
    keys: Iterable[str], work: Callable[..., None], limit: float, at_once: int = _AT_ONCE
) -> Iterator[tuple[str, Any]]:
    """What `work` answers for each key, so many at once; `limit` in seconds."""
    waiting, running = list(keys), list[Trial]()
    while waiting or running:
        while waiting and len(running) < at_once:
            running.append(Trial.start(waiting.pop(0), work, limit))
        next_deadline = min(each.deadline for each in running)
        wait([each.answer for each in running], max(next_deadline - monotonic(), 0) + 0.01)
        for each in [each for each in running if each.is_over]:
            running.remove(each)
            yield each.key, each.result()


def real_cuda(limit: float) -> str | None:
    """The CUDA that there is, in words.

    Asked in a process of its own, for one that has asked for CUDA can have no forks that use it.
    """
    ((_, found),) = results([""], name_cuda, limit)
    return found[0] if isinstance(found, list) else None


def name_cuda(key: str, answer: Connection) -> None:
    answer.send([cuda() if has_cuda() else None])


def on_cuda(program: str, answer: Connection) -> None:
    is_available = torch.cuda.is_available

    def synchronised() -> None:
        execute(program)
        torch.cuda.is_available = is_available  # A program may say that there is none.
        torch.cuda.synchronize()

    answer.send(error_of(synchronised))


def cuda_of(device: str, devices: int) -> AbstractContextManager[Any]:
    """Real CUDA, or so many emulated devices; this process may have no use of the emulation."""
    if device == "cuda":
        return nullcontext()
    from devlint.confirm.emulation.emulate import emulated_cuda

    return emulated_cuda(devices=devices)


def on_emulated(program: str, answer: Connection) -> None:
    def emulated() -> None:
        with cuda_of("emulated", DEVICES):
            execute(program)

    answer.send(error_of(emulated))


def execute(program: str) -> None:
    """Run a program in a folder of its own, for others that run beside it write the same files."""
    os.chdir(mkdtemp(dir=os.curdir))
    exec(compile(program, _FILE, "exec"), {"__name__": "__main__"})


def error_of(work: Callable[[], None]) -> str | None:
    """The exception that `work` ends with, class and message; None without one."""
    quiet()
    try:
        work()
    except BaseException as error:
        return f"{public_class(error)}: {error}"
    return None


def quiet() -> None:
    """Have this process print nothing, and compute in one thread."""
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(null, stream)
    torch.set_num_threads(1)


def public_class(error: BaseException) -> str:
    """The name of the class, of what only the emulation has that of the class that CUDA raises."""
    classes = type(error).__mro__
    return next(each.__name__ for each in classes if not each.__module__.startswith("devlint."))


def run(order: Mapping[str, Any]) -> dict[str, Any]:
    """The results of the programs; None in place of them where CUDA is asked for and missing."""
    limit, device = order["limit"], order["device"]
    name = None if device == "emulated" else real_cuda(limit)
    told = {"cuda": name, "torch": torch.__version__}
    if name is not None:
        found = results(order["programs"], on_cuda, limit, _AT_ONCE_ON_CUDA)
        return {**told, "results": dict(found)}
    if device == "cuda":
        return {**told, "results": None}
    _try_emulation()
    programs = [each for each in order["programs"] if each not in order["only_on_cuda"]]
    return {**told, "results": dict(results(programs, on_emulated, limit))}


def _try_emulation() -> None:
    """So that forks find it imported, and that what is amiss is told once."""
    import_module("torch._dynamo")  # Optimizers import it.
    with required():
        from devlint.confirm.emulation.emulate import emulated_cuda
    with emulated_cuda(devices=DEVICES):
        pass


if __name__ == "__main__":
    try:
        json.dump(run(json.load(sys.stdin)), sys.stdout)
    except EmulationError as error:
        sys.exit(str(error))
