"""What all tests share."""

from __future__ import annotations

from hypothesis import settings

# A loaded machine is slow, which is no failure.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
