"""Functions of points and the batches that they are in, which several libraries have."""

from __future__ import annotations

from devlint.facts.effect import Agrees, Fact


def points(home: str) -> tuple[tuple[str, Fact], ...]:
    """Their patterns, by one for the names of the modules that have them."""
    return (
        (home + "fps", Agrees("x batch -ratio -random_start")),
        (home + "(knn|radius)_graph", Agrees("x -k batch -loop")),
        (home + "(knn|radius)", Agrees("x y -k batch_x batch_y")),
        (home + "nearest", Agrees("x y batch_x batch_y")),
    )
