"""Sequence tagging with a linear-chain CRF."""
import logging
from typing import Dict, List, Optional, Sequence, Tuple, Union

import torch
from torch import nn

log = logging.getLogger("tagger")

# global device of the library, change it with set_device()
device = torch.device("cpu")

START_TAG = "<START>"
STOP_TAG = "<STOP>"


def set_device(new_device: Union[str, torch.device]) -> torch.device:
    """Models that are created afterwards live on this device."""
    global device
    device = torch.device(new_device)
    log.info("using device %s", device)
    return device


class TagDictionary:
    def __init__(self, tags: Sequence[str]) -> None:
        self.idx2item = list(dict.fromkeys(list(tags) + [START_TAG, STOP_TAG]))
        self.item2idx: Dict[str, int] = {t: i for i, t in enumerate(self.idx2item)}

    def __len__(self) -> int:
        return len(self.idx2item)

    def encode(self, tags: Sequence[str]) -> List[int]:
        return [self.item2idx[t] for t in tags]

    def decode(self, ids: Sequence[int]) -> List[str]:
        return [self.idx2item[i] for i in ids]


def pad_sequences(rows: Sequence[Sequence[int]], value: int = 0, on=None) -> Tuple[torch.Tensor, List[int]]:
    """Pads lists of ids to one tensor, and returns their lengths."""
    lengths = [len(r) for r in rows]
    out = torch.full((len(rows), max(lengths)), value, dtype=torch.long)
    for i, row in enumerate(rows):
        out[i, : lengths[i]] = torch.tensor(row, dtype=torch.long)
    return out.to(on or device), lengths


class CRF(nn.Module):
    def __init__(self, tag_dictionary: TagDictionary) -> None:
        super().__init__()
        self.tag_dictionary = tag_dictionary
        self.start = tag_dictionary.item2idx[START_TAG]
        self.stop = tag_dictionary.item2idx[STOP_TAG]
        n = len(tag_dictionary)
        self.transitions = nn.Parameter(torch.randn(n, n) * 0.1)
        with torch.no_grad():
            self.transitions[self.start, :] = -10000.0
            self.transitions[:, self.stop] = -10000.0

    def normalizer(self, emissions: torch.Tensor, lengths: Sequence[int]) -> torch.Tensor:
        alpha = emissions[:, 0] + self.transitions[:, self.start]
        lens = torch.tensor(lengths, device=emissions.device)
        for t in range(1, emissions.size(1)):
            scores = alpha.unsqueeze(1) + self.transitions.unsqueeze(0)
            step = scores.logsumexp(-1) + emissions[:, t]
            alpha = torch.where((t < lens).unsqueeze(1), step, alpha)
        return (alpha + self.transitions[self.stop]).logsumexp(-1)

    def score(self, emissions: torch.Tensor, tags: torch.Tensor, lengths: Sequence[int]) -> torch.Tensor:
        gold = emissions.gather(2, tags.unsqueeze(2)).squeeze(2)
        totals = []
        for i, n in enumerate(lengths):
            path = tags[i, :n]
            moves = self.transitions[path[1:], path[:-1]].sum()
            ends = self.transitions[path[0], self.start] + self.transitions[self.stop, path[-1]]
            totals.append(gold[i, :n].sum() + moves + ends)
        return torch.stack(totals)

    @torch.no_grad()
    def viterbi(self, emissions: torch.Tensor, lengths: Sequence[int]) -> List[List[int]]:
        paths = []
        transitions = self.transitions.detach().cpu()
        for feats, n in zip(emissions.detach().cpu(), lengths):
            delta = feats[0] + transitions[:, self.start]
            back: List[torch.Tensor] = []
            for t in range(1, n):
                best, arg = (delta.unsqueeze(0) + transitions).max(-1)
                delta = best + feats[t]
                back.append(arg)
            tag = int((delta + transitions[self.stop]).argmax())
            path = [tag]
            for arg in reversed(back):
                tag = int(arg[tag])
                path.append(tag)
            paths.append(path[::-1])
        return paths


class SequenceTagger(nn.Module):
    """Embeds words, runs an optional GRU and tags with a CRF."""

    def __init__(
        self,
        vocab: Sequence[str],
        tags: Sequence[str],
        hidden_size: int = 16,
        use_rnn: bool = True,
        dropout: float = 0.1,
    ) -> None:
        super().__init__()
        self.words = {w: i + 1 for i, w in enumerate(dict.fromkeys(vocab))}
        self.tag_dictionary = TagDictionary(tags)
        self.embedding = nn.Embedding(len(self.words) + 1, hidden_size, padding_idx=0)
        self.dropout = nn.Dropout(dropout)
        self.rnn: Optional[nn.GRU] = None
        if use_rnn:
            self.rnn = nn.GRU(hidden_size, hidden_size // 2, bidirectional=True, batch_first=True)
        self.linear = nn.Linear(hidden_size, len(self.tag_dictionary))
        self.crf = CRF(self.tag_dictionary)
        self.to(device)

    def _features(self, sentences: Sequence[Sequence[str]]) -> Tuple[torch.Tensor, List[int]]:
        ids, lengths = pad_sequences([[self.words.get(w, 0) for w in s] for s in sentences])
        x = self.dropout(self.embedding(ids))
        if self.rnn is not None:
            packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
            x, _ = nn.utils.rnn.pad_packed_sequence(self.rnn(packed)[0], batch_first=True)
        return self.linear(x), lengths

    def forward_loss(self, sentences: Sequence[Sequence[str]], tags: Sequence[Sequence[str]]) -> torch.Tensor:
        emissions, lengths = self._features(sentences)
        gold, _ = pad_sequences([self.tag_dictionary.encode(t) for t in tags])
        return (self.crf.normalizer(emissions, lengths) - self.crf.score(emissions, gold, lengths)).mean()

    @torch.no_grad()
    def predict(self, sentences: Sequence[Sequence[str]]) -> List[List[str]]:
        self.eval()
        emissions, lengths = self._features(sentences)
        return [self.tag_dictionary.decode(p) for p in self.crf.viterbi(emissions, lengths)]
