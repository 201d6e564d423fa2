"""Losses and scores over padded sequences."""
import math
from collections import defaultdict
from typing import Dict, List, NamedTuple, Optional

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class LossOutput(NamedTuple):
    loss: torch.Tensor
    num_tokens: int


def sequence_mask(lengths: torch.Tensor, max_len: Optional[int] = None) -> torch.Tensor:
    """Mask ``[B, T]`` which is True inside of the sequences."""
    max_len = max_len or int(lengths.max())
    return torch.arange(max_len, device=lengths.device)[None, :] < lengths[:, None]


def lengths_from_mask(mask: torch.Tensor) -> torch.Tensor:
    """Inverse of :func:`sequence_mask`; the mask has to be contiguous and each sequence not empty."""
    if mask.dim() != 2:
        raise ValueError(f"expected a mask of shape [B, T], got {tuple(mask.shape)}")
    lengths = mask.long().sum(dim=1)
    if bool((lengths < 1).any()):
        raise ValueError("there is an empty sequence in the batch")
    return lengths


def edit_distance(a: List[int], b: List[int]) -> int:
    row = torch.arange(len(b) + 1)
    for i, x in enumerate(a, 1):
        prev, row = row, torch.empty_like(row)
        row[0] = i
        for j, y in enumerate(b, 1):
            row[j] = min(int(prev[j]) + 1, int(row[j - 1]) + 1, int(prev[j - 1]) + (x != y))
    return int(row[-1])


class PackedCrossEntropy(nn.Module):
    """Cross entropy over the valid steps of a batch.

    Packing keeps the steps in time-major order, so the padded steps cost neither memory nor time in the
    log-softmax, which matters for large vocabularies.

    Args:
        label_smoothing: as for :func:`torch.nn.functional.cross_entropy`.
        reduction: ``"token"`` (mean over all tokens) or ``"sequence"`` (mean over the sequence means).
    """

    def __init__(self, label_smoothing: float = 0.0, reduction: str = "token") -> None:
        super().__init__()
        if reduction not in {"token", "sequence"}:
            raise ValueError(f"unknown reduction {reduction!r}")
        self.label_smoothing = label_smoothing
        self.reduction = reduction

    def _pack(self, x: torch.Tensor, lengths: torch.Tensor):
        return pack_padded_sequence(x, lengths.cpu(), batch_first=True, enforce_sorted=False)

    def forward(self, logits: torch.Tensor, targets: torch.Tensor, mask: torch.Tensor) -> LossOutput:
        lengths = lengths_from_mask(mask)
        packed = self._pack(logits, lengths)
        packed_targets = self._pack(targets, lengths)
        losses = F.cross_entropy(packed.data, packed_targets.data,
                                 label_smoothing=self.label_smoothing, reduction="none")
        num_tokens = int(packed.batch_sizes.sum())
        if self.reduction == "token":
            return LossOutput(losses.mean(), num_tokens)
        padded, out_lengths = pad_packed_sequence(packed._replace(data=losses), batch_first=True)
        per_sequence = padded.sum(dim=1) / out_lengths.to(padded.device)
        return LossOutput(per_sequence.mean(), num_tokens)


class UnpackedCrossEntropy(PackedCrossEntropy):
    """The same with a masked selection; for backends without packed sequences."""

    def forward(self, logits: torch.Tensor, targets: torch.Tensor, mask: torch.Tensor) -> LossOutput:
        losses = F.cross_entropy(logits.transpose(1, 2), targets, label_smoothing=self.label_smoothing,
                                 reduction="none").masked_fill(~mask, 0.0)
        num_tokens = int(mask.sum())
        if self.reduction == "token":
            return LossOutput(losses.sum() / num_tokens, num_tokens)
        return LossOutput((losses.sum(1) / mask.sum(1)).mean(), num_tokens)


class SequenceScores:
    """Running perplexity, accuracy and token error rate."""

    def __init__(self, ignore_ids: Optional[List[int]] = None) -> None:
        self.ignore = torch.tensor(sorted(ignore_ids or []), dtype=torch.long)
        self.sums: Dict[str, float] = defaultdict(float)

    @torch.no_grad()
    def update(self, logits: torch.Tensor, targets: torch.Tensor, mask: torch.Tensor, output: LossOutput) -> None:
        hyp, ref = logits.argmax(-1).cpu(), targets.cpu()
        valid = mask.cpu() & ~torch.isin(ref, self.ignore)
        self.sums["nll"] += output.loss.item() * output.num_tokens
        self.sums["tokens"] += output.num_tokens
        self.sums["correct"] += int(((hyp == ref) & valid).sum())
        self.sums["valid"] += int(valid.sum())
        for h, r, v in zip(hyp, ref, valid):
            self.sums["edits"] += edit_distance(h[v].tolist(), r[v].tolist())

    def compute(self) -> Dict[str, float]:
        valid = max(self.sums["valid"], 1.0)
        return {
            "perplexity": math.exp(self.sums["nll"] / max(self.sums["tokens"], 1.0)),
            "accuracy": self.sums["correct"] / valid,
            "ter": self.sums["edits"] / valid,
        }
