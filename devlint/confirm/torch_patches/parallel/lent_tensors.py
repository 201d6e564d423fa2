"""Tensors that are in the hands of the threads of Gloo.

A thread that drops a tensor needs the lock of the interpreter. Where the process holds it and joins
the thread (`DistributedDataParallel` is the last owner of its group), PyTorch hangs; where the
interpreter has ended, PyTorch aborts. Threads of NCCL drop nothing that Python knows.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable
from typing import Any
from weakref import ref

#: In seconds: how long a thread is waited for, which may wait for another process itself.
_PATIENCE = 2.0
#: In seconds: between giving a tensor up and asking for the lock, a thread may be set aside.
_REST = 0.05


class Lent:
    """The tensors of one operation, with how often C++ owned each before."""

    def __init__(self, tensors: Iterable[Any]) -> None:
        self._owned = [(ref(tensor), tensor._use_count()) for tensor in tensors]

    def await_return(self) -> None:
        end = time.monotonic() + _PATIENCE
        while self._is_held() and time.monotonic() < end:
            time.sleep(0.0001)

    def _is_held(self) -> bool:
        living = ((tensor(), before) for tensor, before in self._owned)
        return any(each is not None and each._use_count() > before for each, before in living)


class Pending:
    """The last operations that the program itself did not await."""

    def __init__(self) -> None:
        self._operations: deque[Lent] = deque(maxlen=16)

    def add(self, lent: Lent) -> None:
        self._operations.append(lent)

    def await_return(self) -> None:
        while self._operations:
            self._operations.pop().await_return()
        time.sleep(_REST)
