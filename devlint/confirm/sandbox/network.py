"""Takes the network from a process and what it starts, but for what is on this machine.

In a name space of Linux of its own there is nothing but the loopback device, which is another one
than that of the machine: processes of the program reach each other, and nobody else.
"""

from __future__ import annotations

import ctypes
import errno
import os
import socket
import struct
import sys

_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000
_SET_FLAGS, _UP = 0x8914, 0x1 | 0x40


def refusal() -> str | None:
    """Why the network cannot be taken from a process here; tried in one that ends at once."""
    if not sys.platform.startswith("linux"):
        return "--no-network needs Linux"
    child = os.fork()
    if child == 0:
        os._exit(_tried())
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status == 0:
        return None
    return (
        "--no-network: the system does not let a process leave the network: "
        f"{os.strerror(status)}; allow user name spaces (sysctl kernel.unprivileged_userns_clone, "
        "kernel.apparmor_restrict_unprivileged_userns), or run in a container without a network"
    )


def _tried() -> int:
    """The number of the error, 0 if there is none."""
    try:
        leave()
    except Exception as error:
        return getattr(error, "errno", None) or errno.EINVAL
    return 0


def leave() -> None:
    """For good. Raises `OSError` where the system does not allow it, or a thread runs already."""
    user, group = os.geteuid(), os.getegid()
    if not _unshared(_NEW_NETWORK):
        if not _unshared(_NEW_USER | _NEW_NETWORK):
            raise OSError(ctypes.get_errno(), "unshare")
        for name, text in (
            ("setgroups", "deny"),
            ("uid_map", f"{user} {user} 1"),
            ("gid_map", f"{group} {group} 1"),
        ):
            with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                file.write(text)
    _start_loopback()


def _unshared(flags: int) -> bool:
    return bool(ctypes.CDLL(None, use_errno=True).unshare(flags) == 0)


def _start_loopback() -> None:
    from fcntl import ioctl

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        ioctl(any_socket, _SET_FLAGS, struct.pack("16sH14x", b"lo", _UP))
