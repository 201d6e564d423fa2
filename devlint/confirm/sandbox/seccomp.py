"""Has the Linux kernel pass over changes of permissions, owners, times and attributes of files.

A filter sees the numbers that a call is made with, not the file. So nothing is changed anywhere,
but by `metadata`, which looks at the file first and then says so by `PASS`.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct
import sys
from collections.abc import Iterator
from typing import NamedTuple

#: In place of the folder that a path starts from, which nobody looks at for absolute paths. It is
#: more than the handle of a file may be.
PASS = 0x7DE71147

_NO_NEW_PRIVS, _SET_SECCOMP, _FILTER = 38, 22, 2
# linux/bpf_common.h and linux/seccomp.h
_LOAD, _EQUAL, _ANY_BIT, _RETURN = 0x20, 0x15, 0x45, 0x06
_ALLOW, _FAIL = 0x7FFF0000, 0x00050000
_CALL, _ARCHITECTURE, _FIRST, _SECOND = 0, 4, 16, 24
#: Calls of the 32-bit interface have it in their numbers.
_X32 = 0x40000000
#: What changes flags of files, by a handle that may be for reading.
_REQUESTS = (0x40086602, 0x40046602, 0x401C5820, 0x40087602, 0x40047211, 0x40806685)


class _Calls(NamedTuple):
    """Numbers of system calls. Those `at` a folder may pass, the others do nothing and succeed."""

    architecture: int
    at: tuple[int, ...]
    quiet: tuple[int, ...]
    attributes: tuple[int, ...]
    ioctl: int


#: fchmodat2; setxattrat and removexattrat; file_setattr; io_uring_setup, which no filter sees into.
_CHMOD2, _ATTRIBUTES_AT, _SET_FLAGS, _RINGS = 452, (463, 466), 469, 425
_KNOWN = {
    "x86_64": _Calls(
        0xC000003E,
        (260, 268, 280, _CHMOD2),
        (90, 91, 92, 93, 94, 132, 235, 261),
        (188, 189, 190, 197, 198, 199, *_ATTRIBUTES_AT),
        16,
    ),
    "aarch64": _Calls(
        0xC00000B7, (53, 54, 88, _CHMOD2), (52, 55), (5, 6, 7, 14, 15, 16, *_ATTRIBUTES_AT), 29
    ),
}


def is_there() -> bool:
    """Whether the kernel, on this kind of processor, can be asked."""
    if not sys.platform.startswith("linux") or platform.machine() not in _KNOWN:
        return False
    return bool(ctypes.CDLL(None).prctl(21, 0, 0, 0, 0) >= 0)


def hold_metadata() -> bool:
    """For this thread and what it starts, for good; False where the kernel cannot."""
    if not is_there():
        return False
    steps = b"".join(_steps(_KNOWN[platform.machine()]))
    text = ctypes.create_string_buffer(steps, len(steps))
    program = struct.pack("HxxxxxxP", len(steps) // 8, ctypes.addressof(text))
    call = ctypes.CDLL(None).prctl
    call(_NO_NEW_PRIVS, 1, 0, 0, 0)
    return bool(call(_SET_SECCOMP, _FILTER, program, 0, 0) == 0)


def _steps(calls: _Calls) -> Iterator[bytes]:
    yield _step(_LOAD, _ARCHITECTURE)
    yield from _unless(_EQUAL, calls.architecture, errno.ENOSYS)
    yield _step(_LOAD, _CALL)
    if calls.architecture == _KNOWN["x86_64"].architecture:
        yield from _when(_ANY_BIT, _X32, errno.ENOSYS)
    for numbers, fault in (
        (calls.quiet, 0),
        (calls.attributes, errno.EOPNOTSUPP),
        ((_SET_FLAGS,), errno.EPERM),
        ((_RINGS,), errno.ENOSYS),
    ):
        for number in numbers:
            yield from _when(_EQUAL, number, fault)
    for number in calls.at:
        yield from _within(number, [_step(_LOAD, _FIRST), *_unless(_EQUAL, PASS, 0)])
    requests = [step for each in _REQUESTS for step in _when(_EQUAL, each, errno.EPERM)]
    yield from _within(calls.ioctl, [_step(_LOAD, _SECOND), *requests])
    yield _step(_RETURN, _ALLOW)


def _within(number: int, steps: list[bytes]) -> Iterator[bytes]:
    """Those of one call; what they do not decide is allowed."""
    yield _step(_EQUAL, number, 0, len(steps) + 1)
    yield from steps
    yield _step(_RETURN, _ALLOW)


def _when(test: int, value: int, fault: int) -> tuple[bytes, bytes]:
    return _step(test, value, 0, 1), _step(_RETURN, _FAIL | fault)


def _unless(test: int, value: int, fault: int) -> tuple[bytes, bytes]:
    return _step(test, value, 1, 0), _step(_RETURN, _FAIL | fault)


def _step(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
    return struct.pack("HBBI", code, then, otherwise, value)
