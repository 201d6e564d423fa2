"""Intent classification predictor: raw strings in, list of dicts out."""
import re
from collections import Counter
from typing import Any, Dict, Iterable, List

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

Batch = Dict[str, torch.Tensor]


class Vocab:
    def __init__(self, texts: Iterable[str], min_freq: int = 1):
        counts = Counter(w for t in texts for w in self.split(t))
        self.words = ["<pad>", "<unk>"] + sorted(w for w, c in counts.items() if c >= min_freq)
        self.index = {w: i for i, w in enumerate(self.words)}

    @staticmethod
    def split(text: str) -> List[str]:
        return re.findall(r"\w+", text.lower())

    def __call__(self, text: str) -> List[int]:
        return [self.index.get(w, 1) for w in self.split(text)] or [1]


class LSTMIntent(nn.Module):
    def __init__(self, vocab_size: int, labels: int, dim: int = 24):
        super().__init__()
        self.emb = nn.Embedding(vocab_size, dim, padding_idx=0)
        self.lstm = nn.LSTM(dim, dim, batch_first=True, bidirectional=True)
        self.attn = nn.Linear(2 * dim, 1)
        self.clf = nn.Linear(2 * dim, labels)

    def forward(self, tokens: torch.Tensor, lengths: torch.Tensor) -> Dict[str, torch.Tensor]:
        packed = pack_padded_sequence(self.emb(tokens), lengths.cpu(), batch_first=True, enforce_sorted=False)
        hidden, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        positions = torch.arange(hidden.size(1), device=hidden.device)
        mask = positions[None, :] < lengths[:, None]
        energy = self.attn(hidden).squeeze(-1).masked_fill(~mask, -1e4)
        weights = energy.softmax(-1)
        pooled = torch.bmm(weights.unsqueeze(1), hidden).squeeze(1)
        return {"logits": self.clf(pooled), "attention": weights}


class IntentPredictor:
    def __init__(self, model: LSTMIntent, vocab: Vocab, labels: List[str], device=None):
        self.device = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
        self.model = model.to(self.device).eval()
        self.vocab = vocab
        self.labels = labels

    def collate(self, texts: List[str]) -> Batch:
        ids = [torch.tensor(self.vocab(t)) for t in texts]
        return {
            "tokens": pad_sequence(ids, batch_first=True),
            "lengths": torch.tensor([len(i) for i in ids]),
        }

    def _to_device(self, batch: Batch) -> Batch:
        return {k: v.to(self.device, non_blocking=True) for k, v in batch.items()}

    @torch.no_grad()
    def predict(self, texts: List[str], batch_size: int = 2) -> List[Dict[str, Any]]:
        results: List[Dict[str, Any]] = []
        for start in range(0, len(texts), batch_size):
            chunk = texts[start:start + batch_size]
            batch = self._to_device(self.collate(chunk))
            out = self.model(**batch)
            conf, best = out["logits"].softmax(-1).max(-1)
            for text, c, b, att in zip(chunk, conf.tolist(), best.tolist(), out["attention"].cpu().numpy()):
                words = Vocab.split(text)
                focus = words[int(att[: len(words)].argmax())] if words else None
                results.append({"text": text, "intent": self.labels[b], "confidence": c, "focus": focus})
        return results


def main():
    torch.manual_seed(0)
    texts = [
        "turn on the kitchen light",
        "what is the weather tomorrow in Oslo",
        "play some jazz",
        "stop",
        "set an alarm for seven",
    ]
    labels = ["light", "weather", "music", "alarm"]
    vocab = Vocab(texts)
    predictor = IntentPredictor(LSTMIntent(len(vocab.words), len(labels)), vocab, labels)
    for row in predictor.predict(texts):
        print(f"{row['intent']:<8} {row['confidence']:.2f} {row['focus']!s:<10} {row['text']}")


if __name__ == "__main__":
    main()
