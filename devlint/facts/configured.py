"""What a project's own names mean: accelerators, and code that is out of view."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property

from devlint.facts import table
from devlint.facts.effect import Fact, Makes, Moves
from devlint.facts.library import BatchClass, Relocates, Supplies
from devlint.settings.project_names import Vocabulary
from devlint.values.device import ACCELERATORS, Device, On, named


@dataclass(frozen=True)
class Configured:
    vocabulary: Vocabulary

    @cached_property
    def is_empty(self) -> bool:
        return not self.vocabulary.words

    @cached_property
    def devices(self) -> frozenset[str]:
        return frozenset(self.vocabulary.device_names)

    @cached_property
    def facts(self) -> Mapping[str, Fact]:
        """By full names, and by bare names, whoever has them."""
        return {
            **dict.fromkeys(self.vocabulary.places_batches, Supplies("")),
            **dict.fromkeys(self.vocabulary.batch_classes, BatchClass("")),
            **dict.fromkeys(self.vocabulary.moves, Relocates("")),
        }

    def fact(self, name: str) -> Fact | None:
        """The fact of a dotted name as an import gives it, or of what such a class has."""
        if self.is_empty:
            return None
        found = self.facts.get(name) or self.facts.get(name.rpartition(".")[2])
        if found is None and name.startswith("."):
            found = self._relative(name.lstrip("."))
        return found or self._made_by(name) or self._of_torch(name)

    def method(self, name: str) -> Fact | None:
        """The fact of a method of what is out of view."""
        if name in self.devices:
            return Moves("self -device -non_blocking", "to_accelerator", name)
        found = self.facts.get(name)
        return found if isinstance(found, Relocates) else None

    def device(self, text: str) -> Device | None:
        """The device that a string names, where PyTorch itself has none of that name."""
        kind, _, index = text.partition(":")
        if kind not in self.devices or (index and not index.isdecimal()):
            return None
        return Device(frozenset({On(kind, int(index) if index else None)}))

    def kind(self, prefix: str) -> Device | None:
        """The accelerator that `"cuda:"` starts to name."""
        kind, colon, rest = prefix.partition(":")
        if not colon or rest:
            return None
        return named(kind) if kind in ACCELERATORS else self.device(kind)

    def _relative(self, name: str) -> Fact | None:
        """`from .data import to_device`: of whichever package this is."""
        return next((f for full, f in self.facts.items() if full.endswith(f".{name}")), None)

    def _made_by(self, name: str) -> Fact | None:
        """`Batch.from_list` makes such a batch."""
        owner = name.rpartition(".")[0]
        found = self.fact(owner) if owner.strip(".") else None
        return found if isinstance(found, (BatchClass, Supplies)) else None

    def _of_torch(self, name: str) -> Fact | None:
        """`torch.npu.is_available`, as `torch.cuda` has it."""
        package, _, rest = name.partition(".")
        kind, _, function = rest.partition(".")
        if package != "torch" or kind not in self.devices or not function:
            return None
        found = table.fact(f"torch.cuda.{function}")
        return replace(found, device=kind) if isinstance(found, Makes) else found


@cache
def configured(vocabulary: Vocabulary) -> Configured:
    return Configured(vocabulary)
