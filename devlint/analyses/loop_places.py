"""In which loop the program is, and whether each of its rounds comes here."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from devlint.interpret.core.interpreter import Run
from devlint.lower import ir
from devlint.queries.loop_context import Place, places
from devlint.rule.analysis import Analysis


class LoopPlaces(Analysis[Run]):
    """Tells where what runs stands: a function is in the loop that calls it."""

    @cached_property
    def places(self) -> dict[ir.Node, Place]:
        """The place of each call and each augmented assignment."""
        return places(self.run.module)

    def written(self, node: ir.Node) -> Place:
        """The place of a call, or of an augmented assignment, by the text alone."""
        return self.places.get(node, Place())

    def here(self, node: ir.Node) -> Place:
        """The place of one that runs, of the calls that led there the nearest in a loop."""
        place = self.written(node)
        for call in reversed(self.run.frame.path):
            if place.loop is not None:
                break
            place = called(self.written(call), place)
        return place


def called(caller: Place, place: Place) -> Place:
    """A place in a function that is called."""
    return replace(
        caller,
        is_conditional=caller.is_conditional or place.is_conditional,
        has_gradients=caller.has_gradients and place.has_gradients,
    )
