"""Has the Linux kernel refuse writes elsewhere, to C++ code and other programs too."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterable
from typing import Any

# linux/landlock.h; the numbers of the calls are those of every architecture.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION = 1
_PATH_BENEATH = 1
_NO_NEW_PRIVS = 38
#: The first version that knows of `truncate` (Linux 6.2).
_OLDEST = 3
#: write, and remove, make or truncate what is in a folder, and move between folders.
_FILE_WRITES = 1 << 1 | 1 << 14
_WRITES = _FILE_WRITES | sum(1 << bit for bit in range(4, 14))
#: Making devices, which are ways to a disk.
_DEVICES = 1 << 6 | 1 << 11
#: Of their files none is made or removed.
_GIVEN = ("/dev", "/proc")


class _Rule(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


def is_there() -> bool:
    """Whether the kernel has all that is asked of it."""
    if not sys.platform.startswith("linux"):
        return False
    version = ctypes.CDLL(None).syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _VERSION)
    return bool(version >= _OLDEST)


def allow_writes_below_only(folders: Iterable[str]) -> bool:
    """For this process and those that it starts, for good; False where the kernel cannot."""
    if not is_there():
        return False
    call = ctypes.CDLL(None).syscall
    handled = ctypes.c_uint64(_WRITES)
    rules = call(_CREATE_RULESET, ctypes.byref(handled), ctypes.c_size_t(8), 0)
    for folder in folders:
        _allow(call, rules, folder)
    ctypes.CDLL(None).prctl(_NO_NEW_PRIVS, 1, 0, 0, 0)
    refused = call(_RESTRICT_SELF, rules, 0)
    os.close(rules)
    return bool(refused == 0)


def _allow(call: Any, rules: int, folder: str) -> None:
    handle = os.open(folder, os.O_PATH | os.O_CLOEXEC)
    rule = _Rule(_FILE_WRITES if folder in _GIVEN else _WRITES & ~_DEVICES, handle)
    call(_ADD_RULE, rules, _PATH_BENEATH, ctypes.byref(rule), 0)
    os.close(handle)
