"""Miners: choose the pairs and triplets of a batch a metric loss is computed on."""
import numpy as np
import torch
from torch import nn


def check_shapes(embeddings, labels):
    if labels.ndim != 1 or embeddings.size(0) != labels.size(0):
        raise ValueError("labels must be a 1D tensor of shape (batch_size,)")
    if embeddings.ndim != 2:
        raise ValueError("embeddings must be a 2D tensor of shape (batch_size, embedding_size)")


def get_matches_and_diffs(labels, ref_labels=None):
    ref_labels = labels if ref_labels is None else ref_labels
    matches = labels.unsqueeze(1) == ref_labels.unsqueeze(0)
    diffs = ~matches
    if ref_labels is labels:
        matches = matches.clone().fill_diagonal_(False)
    return matches, diffs


def get_all_triplets_indices(labels):
    matches, diffs = get_matches_and_diffs(labels)
    return torch.where(matches.unsqueeze(2) & diffs.unsqueeze(1))


class LpDistance(nn.Module):
    def __init__(self, normalize_embeddings=True, p=2, power=1):
        super().__init__()
        self.normalize_embeddings = normalize_embeddings
        self.p = p
        self.power = power

    def forward(self, query, ref=None):
        if self.normalize_embeddings:
            query = nn.functional.normalize(query, dim=1)
            ref = query if ref is None else nn.functional.normalize(ref, dim=1)
        mat = torch.cdist(query, query if ref is None else ref, p=self.p)
        return mat if self.power == 1 else mat ** self.power


class BaseMiner(nn.Module):
    def __init__(self, distance=None):
        super().__init__()
        self.distance = LpDistance() if distance is None else distance
        self.num_triplets = 0

    def mine(self, embeddings, labels):
        raise NotImplementedError

    def forward(self, embeddings, labels):
        with torch.no_grad():
            check_shapes(embeddings, labels)
            triplets = self.mine(embeddings, labels)
        self.num_triplets = len(triplets[0])
        return triplets


class TripletMarginMiner(BaseMiner):
    """All triplets which violate the margin; ``type_of_triplets`` is one of "all", "hard", "semihard"."""

    def __init__(self, margin=0.2, type_of_triplets="all", **kwargs):
        super().__init__(**kwargs)
        self.margin = margin
        self.type_of_triplets = type_of_triplets

    def mine(self, embeddings, labels):
        a, p, n = get_all_triplets_indices(labels)
        mat = self.distance(embeddings)
        gap = mat[a, n] - mat[a, p]
        keep = gap <= self.margin
        if self.type_of_triplets == "hard":
            keep &= gap <= 0
        elif self.type_of_triplets == "semihard":
            keep &= gap > 0
        return a[keep], p[keep], n[keep]


class NeighborhoodMiner(BaseMiner):
    """Draws each negative among the ``k`` nearest neighbours of the anchor, and the positives at random.

    The sampling itself is a loop on the host: there are only as many iterations as classes.
    """

    def __init__(self, k=8, seed=None, **kwargs):
        super().__init__(**kwargs)
        self.k = k
        self.rng = np.random.RandomState(seed)

    def _positives(self, labels):
        groups = labels.numpy()
        positives = np.full(len(groups), -1)
        for c in np.unique(groups):
            members = np.flatnonzero(groups == c)
            if len(members) > 1:
                members = self.rng.permutation(members)
                positives[members] = np.roll(members, 1)
        return torch.from_numpy(positives)

    def mine(self, embeddings, labels):
        labels = labels.cpu()
        mat = self.distance(embeddings)
        mat.fill_diagonal_(float("inf"))
        k = min(self.k, mat.size(1) - 1)
        neighbors = mat.topk(k, dim=1, largest=False).indices
        is_negative = labels[neighbors.cpu()] != labels.unsqueeze(1)
        positives = self._positives(labels)

        anchors = torch.nonzero(is_negative.any(dim=1) & (positives >= 0)).flatten()
        column = torch.multinomial(is_negative[anchors].float(), 1).to(embeddings.device)
        anchors = anchors.to(embeddings.device)
        negatives = neighbors[anchors].gather(1, column).squeeze(1)
        return anchors, positives.to(embeddings.device)[anchors], negatives


class TripletMarginLoss(nn.Module):
    def __init__(self, margin=0.05, swap=False, smooth_loss=False, distance=None):
        super().__init__()
        self.margin = margin
        self.swap = swap
        self.smooth_loss = smooth_loss
        self.distance = LpDistance() if distance is None else distance

    def forward(self, embeddings, labels, triplets=None):
        a, p, n = get_all_triplets_indices(labels) if triplets is None else triplets
        if len(a) == 0:
            return embeddings.sum() * 0
        mat = self.distance(embeddings)
        ap, an = mat[a, p], mat[a, n]
        if self.swap:
            an = torch.min(an, mat[p, n])
        violation = ap - an + self.margin
        losses = nn.functional.softplus(violation) if self.smooth_loss else torch.relu(violation)
        active = losses > 0
        return losses.sum() / active.sum().clamp(min=1)
