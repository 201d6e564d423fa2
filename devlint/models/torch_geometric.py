"""PyTorch Geometric: layers, data sets and loaders of graphs."""

from __future__ import annotations

from devlint.facts.effect import Agrees, Fact, Many, Model, Opaque, Transform
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.library_model import LibraryModel
from devlint.models.point_functions import points

#: Functions that give one tensor, and several.
_TENSORS = "degree|index_to_mask|scatter|segment|softmax|to_dense_adj|unbatch"
_SEVERAL = "add_self_loops|get_laplacian|remove_self_loops|to_dense_batch"
#: Convolutions without weights.
_WEIGHTLESS = "LG|Simple|WL"
_PATTERNS: tuple[tuple[str, Fact], ...] = (
    (rf"torch_geometric\.nn\.(\w+\.)*(?!({_WEIGHTLESS})Conv)[A-Z]\w*Conv", Model("")),
    (r"torch_geometric\.nn\.(\w+\.)*[A-Z]\w*", Model("", is_layer=True)),
    (r"torch_geometric\.nn\.(\w+\.)*global_(add|mean|max)_pool", Agrees("x batch -size")),
    *points(r"torch_geometric\.nn\.(\w+\.)*"),
    (rf"torch_geometric\.utils\.({_TENSORS})", Agrees("src index edge_attr")),
    (rf"torch_geometric\.utils\.({_SEVERAL})", Many("src index")),
    (r"torch_geometric\.transforms\.(\w+\.)*[A-Z]\w*", Transform("-transforms")),
    (r"torch_geometric\.datasets\.\w+", Opaque("-root", "dataset")),
    (r"torch_geometric\.(loader|data)\.\w*(Loader|Sampler)", Opaque("~dataset", "loader")),
)

MODEL = LibraryModel[Run](
    packages=frozenset({"torch_geometric"}),
    patterns=_PATTERNS,
    counts=frozenset("batch_size num_graphs num_nodes num_edges num_features num_classes".split()),
    tensors=frozenset({"edge_index", "edge_attr", "edge_weight"}),
)
