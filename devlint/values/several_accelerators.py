"""Which accelerator a device is where there are several: as many as the program can use."""

from __future__ import annotations

from devlint.values.device import CPU, Device, On


def last_accelerator(device: Device) -> On | None:
    """Of those that a device may be the one with the highest number, which takes the most; None
    where one has no number, or the device may be anywhere."""
    found = list[On]()
    for atom in device.possible():
        if isinstance(atom, On) and atom.index is not None:
            found.append(atom)
        elif atom != CPU:
            return None
    return max(found, key=lambda each: each.index or 0, default=None)


def are_parted(one: Device, other: Device) -> bool:
    """Whether two devices are different accelerators there, though one may stand for both where
    there are fewer."""
    first, second = last_accelerator(one), last_accelerator(other)
    return None not in (first, second) and first != second
