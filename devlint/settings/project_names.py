"""The names of a project's own that say something of devices."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from devlint.settings import Settings

Names = tuple[str, ...]


@dataclass(frozen=True)
class Vocabulary:
    """As `Settings` has them."""

    device_names: Names = ()
    batch_classes: Names = ()
    moves: Names = ()
    places_batches: Names = ()

    @classmethod
    def of(cls, settings: Settings) -> Vocabulary:
        return cls(
            settings.device_names, settings.batch_classes, settings.moves, settings.places_batches
        )

    @cached_property
    def words(self) -> frozenset[str]:
        """What code that has to do with any of it mentions."""
        full = (*self.batch_classes, *self.moves, *self.places_batches)
        return frozenset(self.device_names) | {name.rpartition(".")[2] for name in full}


#: What a project says that is not configured.
PLAIN = Vocabulary()
