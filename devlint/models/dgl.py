"""Deep Graph Library: layers, and graphs that are moved as tensors are."""

from __future__ import annotations

from devlint.facts.effect import Fact, Model
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.library_model import LibraryModel
from devlint.models.moved_copies import MovedAsCopy, TakesMovedAsCopy, made, taken

_GRAPHS = (
    "batch|graph|heterograph|add_self_loop|remove_self_loop|to_bidirected|to_homogeneous|reverse|"
    "from_networkx|from_scipy|rand_graph|node_subgraph"
)
#: What takes a graph, and gives tensors, or graphs of it.
_OF_GRAPH = (
    "(broadcast|max|mean|readout|softmax|sum|topk)_(nodes|edges)|unbatch|bfs_nodes_generator|"
    "to_networkx|khop_graph|laplacian_lambda_max"
)
_PATTERNS: tuple[tuple[str, Fact], ...] = (
    (r"dgl\.(\w+\.)*(nn|nets|layers)\.(\w+\.)*[A-Z]\w*", Model("", is_layer=True)),
    (rf"dgl\.({_GRAPHS})", MovedAsCopy("")),
    (rf"dgl\.({_OF_GRAPH})", TakesMovedAsCopy("graph")),
)

MODEL = LibraryModel[Run](
    packages=frozenset({"dgl"}),
    patterns=_PATTERNS,
    handlers={MovedAsCopy: made, TakesMovedAsCopy: taken},
)
