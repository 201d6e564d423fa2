"""torch_cluster: neighbours and samples of points."""

from __future__ import annotations

from devlint.facts.effect import Agrees, Fact
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.library_model import LibraryModel


def points(home: str) -> tuple[tuple[str, Fact], ...]:
    """Its functions, which PyTorch Geometric has in a module of its own, too."""
    return (
        (home + "fps", Agrees("x batch -ratio -random_start")),
        (home + "(knn|radius)_graph", Agrees("x -k batch -loop")),
        (home + "(knn|radius)", Agrees("x y -k batch_x batch_y")),
        (home + "nearest", Agrees("x y batch_x batch_y")),
    )


MODEL = LibraryModel[Run](
    packages=frozenset({"torch_cluster"}), patterns=points(r"torch_cluster\.(\w+\.)?")
)
