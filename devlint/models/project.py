"""What a project's own names mean: accelerators, and code that is not analysed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from devlint.facts import table
from devlint.facts.effect import Fact, Makes, Moves
from devlint.facts.table import method_fact
from devlint.interpret.core.call import Argument, Call
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.library_model import ProjectModel
from devlint.interpret.modules.module_methods import moved
from devlint.lower import ir
from devlint.models import project_batches, project_loaders, project_moves
from devlint.models.project_batches import BatchClass
from devlint.models.project_loaders import Supplies
from devlint.models.project_moves import Relocates
from devlint.settings.project_names import Vocabulary
from devlint.values.value import Value


@dataclass(frozen=True, kw_only=True)
class Project(ProjectModel[Run]):
    vocabulary: Vocabulary

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
        found = self.facts.get(name) or self.facts.get(name.rpartition(".")[2])
        if found is None and name.startswith("."):
            found = self._relative(name.lstrip("."))
        return found or self._made_by(name) or self._of_torch(name)

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

    def _method_fact(self, name: str) -> Fact | None:
        """The fact of a method of external code."""
        if name in self.devices:
            return Moves("self -device -non_blocking", "to_accelerator", name)
        found = self.facts.get(name)
        return found if isinstance(found, Relocates) else method_fact(name)

    def method(self, run: Run, call: Call) -> Value | None:
        fact, receiver = self._method_fact(call.name), call.receiver
        if isinstance(fact, Relocates):
            return relocated(run, fact, call, receiver)
        if isinstance(fact, Moves) and project_batches.is_batch(run, receiver):
            return project_batches.moved(run, call.node, fact, receiver, call.arguments)
        if isinstance(fact, Moves) and call.name in self.devices:
            return moved(run, call.node, fact, receiver, call.arguments)
        return project_loaders.supplied(run, receiver)

    def attribute(self, run: Run, node: ir.Attribute, whole: Value) -> Value | None:
        return project_batches.attribute(run, node, whole)


def relocated(run: Run, fact: Relocates, call: Call, receiver: Value) -> Value:
    """A method moves what it is given, or its receiver if it is given nothing but a device."""
    node, arguments = call.node, call.arguments
    assert isinstance(node.func, ir.Attribute)
    place = next((a for a in project_moves.by_name(arguments) if project_moves.is_place(a)), None)
    if not project_moves.moved_of(arguments, place) and not arguments.rest:
        whole = Argument(node.func.value, receiver)
        arguments = replace(arguments, positional=(whole, *arguments.positional))
    return project_moves.relocates(run, fact, replace(call, arguments=arguments))


def project(vocabulary: Vocabulary) -> Project | None:
    """The model of a project, if it says anything of its names."""
    if not vocabulary.words:
        return None
    return Project(
        vocabulary=vocabulary,
        handlers={
            BatchClass: project_batches.made,
            Relocates: project_moves.relocates,
            Supplies: project_loaders.made,
        },
        given={BatchClass: project_batches.given},
        words=vocabulary.words,
    )
