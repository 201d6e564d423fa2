import os
from dataclasses import dataclass
from typing import Dict, List, Optional

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

LOCAL_RANK = int(os.environ.get("LOCAL_RANK", 0))
MASK_ID, PAD_ID, VOCAB = 1, 0, 64


@dataclass
class DataCollatorForMLM:
    mlm_probability: float = 0.15
    pad_to_multiple_of: Optional[int] = 4

    def __call__(self, examples: List[List[int]]) -> Dict[str, torch.Tensor]:
        longest = max(map(len, examples))
        if self.pad_to_multiple_of:
            longest = -(-longest // self.pad_to_multiple_of) * self.pad_to_multiple_of
        ids = torch.full((len(examples), longest), PAD_ID)
        for row, ex in zip(ids, examples):
            row[: len(ex)] = torch.tensor(ex)
        attention_mask = ids.ne(PAD_ID)
        labels = ids.clone()
        prob = torch.full(labels.shape, self.mlm_probability)
        prob.masked_fill_(~attention_mask, 0.0)
        masked = torch.bernoulli(prob).bool()
        masked[:, 0] = True
        labels[~masked] = -100
        ids[masked] = MASK_ID
        return {"input_ids": ids, "attention_mask": attention_mask, "labels": labels}


class TinyBert(nn.Module):
    def __init__(self, d=32, layers=1, max_len=32):
        super().__init__()
        self.word = nn.Embedding(VOCAB, d, padding_idx=PAD_ID)
        self.position = nn.Embedding(max_len, d)
        self.register_buffer("position_ids", torch.arange(max_len).unsqueeze(0), persistent=False)
        layer = nn.TransformerEncoderLayer(d, 4, 64, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.lm_head = nn.Linear(d, VOCAB)

    def forward(self, input_ids, attention_mask, labels=None):
        h = self.word(input_ids) + self.position(self.position_ids[:, : input_ids.size(1)])
        h = self.encoder(h, src_key_padding_mask=~attention_mask)
        logits = self.lm_head(h)
        loss = None
        if labels is not None:
            loss = F.cross_entropy(logits.view(-1, VOCAB), labels.view(-1), ignore_index=-100)
        return loss, logits


class MaskedAccuracy:
    def __init__(self):
        self.correct: List[np.ndarray] = []

    def update(self, logits, labels):
        preds = logits.argmax(-1).cpu()
        keep = (labels != -100).cpu()
        self.correct.append((preds[keep] == labels[keep].cpu()).numpy())

    def compute(self) -> float:
        return float(np.concatenate(self.correct).mean())


class Trainer:
    def __init__(self, model, collator, train, valid, batch_size=8):
        self.device = torch.device("cuda", LOCAL_RANK) if torch.cuda.is_available() else torch.device("cpu")
        self.model = model.to(self.device)
        self.collator, self.train_data, self.valid_data, self.bs = collator, train, valid, batch_size
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-3)

    def _prepare(self, batch):
        return {k: v.to(self.device) for k, v in batch.items()}

    def _loader(self, rows):
        for i in range(0, len(rows), self.bs):
            yield self._prepare(self.collator(rows[i:i + self.bs]))

    def train(self, epochs=1, accumulation=2):
        for epoch in range(epochs):
            self.model.train()
            tr_loss = torch.tensor(0.0).to(self.device)
            for step, batch in enumerate(self._loader(self.train_data), 1):
                loss, _ = self.model(**batch)
                (loss / accumulation).backward()
                tr_loss += loss.detach()
                if step % accumulation == 0:
                    self.optimizer.step()
                    self.optimizer.zero_grad()
            print({"epoch": epoch, "loss": round(tr_loss.item() / step, 4), **self.evaluate()})

    @torch.no_grad()
    def evaluate(self):
        self.model.eval()
        metric, losses = MaskedAccuracy(), []
        for batch in self._loader(self.valid_data):
            loss, logits = self.model(**batch)
            losses.append(loss.item())
            metric.update(logits, batch["labels"])
        return {"eval_loss": float(np.mean(losses)), "eval_acc": metric.compute()}


if __name__ == "__main__":
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    corpus = [rng.integers(2, VOCAB, rng.integers(5, 20)).tolist() for _ in range(48)]
    Trainer(TinyBert(), DataCollatorForMLM(), corpus[:32], corpus[32:]).train(epochs=2)
