"""Streams, events and graphs of CUDA: all that is done is done at once."""

from __future__ import annotations

import itertools
import time
from contextlib import AbstractContextManager, nullcontext
from typing import Any, ClassVar

import torch

from devlint.confirm.torch_patches.session import Emulation

#: What tests of PyTorch's own kind (`torch.testing._internal`) call themselves.
_OF_C = ("_cuda_setStream", "_cuda_setDevice", "_cuda_clearCublasWorkspaces")


class Event:
    """Knows when it was recorded."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._seconds = time.perf_counter()

    def record(self, stream: Any = None) -> None:
        self._seconds = time.perf_counter()

    def elapsed_time(self, end_event: Event) -> float:
        """In milliseconds."""
        return (end_event._seconds - self._seconds) * 1000

    def synchronize(self) -> None: ...

    def wait(self, stream: Any = None) -> None: ...

    def query(self) -> bool:
        return True


class Stream:
    """Has nothing to wait for. `stream_id`: 0 of the one that a device uses by default."""

    priority = 0
    device_type = 1
    _numbers = itertools.count(1)
    #: Those in use, where that is not the default one.
    current: ClassVar[dict[torch.device, Stream]] = {}

    def __init__(self, device: Any = None, priority: int = 0, **kwargs: Any) -> None:
        index = torch.cuda.current_device()
        self.device = torch.device("cuda", index) if device is None else torch.device(device)
        self.stream_id = next(self._numbers)
        self._left: list[Stream] = []

    @classmethod
    def default(cls, device: torch.device) -> Stream:
        stream = cls(device)
        stream.stream_id = 0
        return stream

    @classmethod
    def used(cls, device: torch.device) -> Stream:
        return cls.current.get(device) or cls.default(device)

    def use(self) -> None:
        self.current[self.device] = self

    @property
    def _key(self) -> tuple[torch.device, int]:
        return self.device, self.stream_id

    @property
    def cuda_stream(self) -> int:
        return self.stream_id

    @property
    def device_index(self) -> int:
        return self.device.index or 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and other._key == self._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __enter__(self) -> Stream:
        self._left.append(self.used(self.device))
        self.use()
        return self

    def __exit__(self, *exception: object) -> None:
        self._left.pop().use()

    def synchronize(self) -> None: ...

    def wait_stream(self, stream: Any) -> None: ...

    def wait_event(self, event: Any) -> None: ...

    def record_event(self, event: Event | None = None) -> Event:
        recorded = event or Event()
        recorded.record(self)
        return recorded

    def query(self) -> bool:
        return True

    def is_capturing(self) -> bool:
        return False


class Graph:
    """What is captured has run once; a replay leaves its results as they are."""

    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

    def capture_begin(self, *args: Any, **kwargs: Any) -> None: ...

    def capture_end(self) -> None: ...

    def replay(self) -> None: ...

    def reset(self) -> None: ...

    def pool(self) -> tuple[int, int]:
        return 0, 0


class Capture:
    """`with torch.cuda.graph(..)`: runs what is in it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

    def __enter__(self) -> None: ...

    def __exit__(self, *exception: object) -> None: ...


def context(stream: Stream | None) -> AbstractContextManager[Any]:
    """`with torch.cuda.stream(..)`."""
    return stream or nullcontext()


def install(emulation: Emulation) -> None:
    Stream.current.clear()

    def used(device: Any = None) -> Stream:
        return Stream.used(emulation.devices.cuda(device))

    def default(device: Any = None) -> Stream:
        return Stream.default(emulation.devices.cuda(device))

    functions = {
        "Event": Event,
        "Stream": Stream,
        "ExternalStream": Stream,
        "StreamContext": context,
        "stream": context,
        "current_stream": used,
        "default_stream": default,
        "set_stream": Stream.use,
        "synchronize": lambda device=None: None,
        "CUDAGraph": Graph,
        "graph": Capture,
        "graph_pool_handle": lambda: (0, 0),
        "is_current_stream_capturing": lambda: False,
        "make_graphed_callables": lambda callables, *args, **kwargs: callables,
    }
    emulation.patches.put_all(torch.cuda, functions)
    emulation.patches.put_all(torch.cuda.graphs, functions)
    emulation.patches.put_all(torch.cuda.streams, functions)
    emulation.patches.put_all(torch.accelerator, functions)
    for name in _OF_C:
        emulation.patches.put(torch._C, name, lambda *args, **kwargs: None)
    emulation.patches.put_all(torch, {"Event": Event, "Stream": Stream})
