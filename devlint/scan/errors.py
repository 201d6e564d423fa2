"""What can go wrong with a scan, or with one project of it."""

from __future__ import annotations


class ScanError(Exception):
    """A scan that cannot start, or go on; the message says what to mend."""


class ProjectError(Exception):
    """A project that cannot be analysed, which concerns no other; the message says why."""
