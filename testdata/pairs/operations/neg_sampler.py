"""Samplers for link prediction: mini-batches of edges and corrupted (negative) edges."""
import logging
from abc import ABC, abstractmethod
from typing import Dict, Iterator, Optional, Tuple, Type

import torch
from torch import LongTensor, Tensor

logger = logging.getLogger(__name__)

_SAMPLERS: Dict[str, Type["NegativeSampler"]] = {}


def register_sampler(name: str):
    def wrap(cls):
        if name in _SAMPLERS:
            raise KeyError(f"sampler {name!r} is registered already")
        _SAMPLERS[name] = cls
        return cls
    return wrap


def sampler_from_name(name: str, **kwargs) -> "NegativeSampler":
    try:
        cls = _SAMPLERS[name.lower()]
    except KeyError:
        raise ValueError(f"Unknown sampler {name!r}, expected one of {sorted(_SAMPLERS)}") from None
    return cls(**kwargs)


def ensure_generator(seed: Optional[int]) -> Optional[torch.Generator]:
    if seed is None:
        return None
    generator = torch.Generator()
    generator.manual_seed(seed)
    return generator


def encode_edges(edge_index: Tensor, num_nodes: int) -> Tensor:
    """Map each edge to a unique integer."""
    return edge_index[0] * num_nodes + edge_index[1]


class EdgeBatches:
    """Yields shuffled batches of the columns of ``edge_index``.

    The permutation is drawn on the CPU, so that the order for a seed doesn't depend on where the graph is.
    """

    def __init__(self, edge_index: LongTensor, batch_size: int, seed: Optional[int] = None, drop_last: bool = False):
        self.edge_index = edge_index
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.generator = ensure_generator(seed)

    def __len__(self) -> int:
        n = self.edge_index.size(1)
        return n // self.batch_size if self.drop_last else -(-n // self.batch_size)

    def __iter__(self) -> Iterator[Tensor]:
        perm = torch.randperm(self.edge_index.size(1), generator=self.generator)
        for i, idx in enumerate(perm.split(self.batch_size)):
            if i >= len(self):
                return
            yield self.edge_index[:, idx]


class NegativeSampler(ABC):
    def __init__(self, num_nodes: int, num_negs: int = 1, filtered: bool = False,
                 known: Optional[LongTensor] = None, seed: Optional[int] = None):
        if filtered and known is None:
            raise ValueError("filtering needs the known edges")
        self.num_nodes = num_nodes
        self.num_negs = num_negs
        self.filtered = filtered
        self.known = known
        self.generator = ensure_generator(seed)

    @abstractmethod
    def corrupt(self, edges: LongTensor) -> LongTensor:
        """Draw ``num_negs`` negatives per positive, shape ``[2, batch, num_negs]``."""

    def mask(self, negatives: LongTensor) -> Optional[Tensor]:
        if not self.filtered:
            return None
        known = encode_edges(self.known, self.num_nodes).to(negatives.device)
        return ~torch.isin(encode_edges(negatives, self.num_nodes), known)

    def sample(self, edges: LongTensor) -> Tuple[LongTensor, Optional[Tensor]]:
        negatives = self.corrupt(edges)
        mask = self.mask(negatives)
        if mask is not None and not mask.any():
            logger.warning("All negatives of this batch are known edges")
        return negatives, mask


@register_sampler("uniform")
class UniformSampler(NegativeSampler):
    """Replaces one of the endpoints by a random node."""

    def corrupt(self, edges: LongTensor) -> LongTensor:
        batch = edges.size(1)
        negatives = edges.unsqueeze(-1).repeat(1, 1, self.num_negs)
        nodes = torch.randint(self.num_nodes, (batch, self.num_negs), generator=self.generator)
        side = torch.randint(2, (batch, self.num_negs), generator=self.generator)
        nodes, side = nodes.to(edges.device), side.to(edges.device)
        return torch.where(torch.stack([side == 0, side == 1]), nodes, negatives)


@register_sampler("degree")
class DegreeSampler(NegativeSampler):
    """Replaces the target by a node drawn with a probability proportional to ``degree ** power``."""

    def __init__(self, num_nodes: int, known: LongTensor, power: float = 0.75, **kwargs):
        super().__init__(num_nodes, known=known, **kwargs)
        degree = torch.bincount(known.flatten(), minlength=num_nodes).float()
        self.weights = degree.clamp(min=1).pow(power).cpu()

    def corrupt(self, edges: LongTensor) -> LongTensor:
        batch = edges.size(1)
        negatives = edges.unsqueeze(-1).repeat(1, 1, self.num_negs)
        drawn = torch.multinomial(self.weights, batch * self.num_negs, replacement=True, generator=self.generator)
        negatives[1] = drawn.view(batch, self.num_negs)
        return negatives
