import random

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset

PAD = 0
TAGS = 5


class TaggedSentences(Dataset):
    def __init__(self, n=60, vocab=50):
        rng = random.Random(13)
        self.rows = []
        for _ in range(n):
            length = rng.randint(3, 11)
            toks = [rng.randint(1, vocab - 1) for _ in range(length)]
            self.rows.append((toks, [t % TAGS for t in toks]))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, idx):
        toks, tags = self.rows[idx]
        return torch.tensor(toks), torch.tensor(tags)


def collate(batch):
    batch.sort(key=lambda r: len(r[0]), reverse=True)
    toks, tags = zip(*batch)
    lengths = torch.tensor([len(t) for t in toks])
    return {
        "tokens": pad_sequence(toks, batch_first=True, padding_value=PAD),
        "tags": pad_sequence(tags, batch_first=True, padding_value=-100),
        "lengths": lengths,
    }


class BiLSTMTagger(nn.Module):
    def __init__(self, vocab=50, emb=16, hidden=20, word_drop=0.1):
        super().__init__()
        self.word_drop = word_drop
        self.embed = nn.Embedding(vocab, emb, padding_idx=PAD)
        self.rnn = nn.LSTM(emb, hidden, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * hidden, TAGS)

    def encode(self, tokens, lengths):
        if self.training:
            drop = torch.rand(tokens.shape, device=tokens.device) < self.word_drop
            tokens = tokens.masked_fill(drop, PAD)
        packed = pack_padded_sequence(self.embed(tokens), lengths.cpu(), batch_first=True)
        h, _ = self.rnn(packed)
        h, _ = pad_packed_sequence(h, batch_first=True, total_length=tokens.size(1))
        return h

    def forward(self, tokens, lengths):
        return self.out(self.encode(tokens, lengths))


def sequence_mask(lengths, max_len):
    steps = torch.arange(max_len, device=lengths.device)
    return steps[None, :] < lengths[:, None]


class Learner:
    def __init__(self, model, lr=5e-3, patience=2):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device)
        self.opt = torch.optim.Adam(self.model.parameters(), lr=lr)
        self.patience = patience
        self.best, self.bad = float("inf"), 0

    def to_device(self, batch):
        return {k: v.to(self.device) for k, v in batch.items()}

    def run_batch(self, batch):
        batch = self.to_device(batch)
        logits = self.model(batch["tokens"], batch["lengths"])
        loss = F.cross_entropy(logits.transpose(1, 2), batch["tags"], ignore_index=-100)
        mask = sequence_mask(batch["lengths"], logits.size(1))
        correct = (logits.argmax(-1) == batch["tags"]) & mask
        return loss, correct.sum().item(), batch["lengths"].sum().item()

    def epoch(self, loader, train):
        self.model.train(train)
        loss_sum, hits, words = 0.0, 0, 0
        with torch.set_grad_enabled(train):
            for batch in loader:
                loss, h, w = self.run_batch(batch)
                if train:
                    self.opt.zero_grad()
                    loss.backward()
                    nn.utils.clip_grad_value_(self.model.parameters(), 1.0)
                    self.opt.step()
                loss_sum, hits, words = loss_sum + loss.item(), hits + h, words + w
        return loss_sum / len(loader), hits / words

    def fit(self, train_dl, valid_dl, epochs=3):
        for ep in range(epochs):
            tl, _ = self.epoch(train_dl, True)
            vl, acc = self.epoch(valid_dl, False)
            print(f"{ep}: train {tl:.3f} valid {vl:.3f} acc {acc:.3f}")
            self.best, self.bad = (vl, 0) if vl < self.best else (self.best, self.bad + 1)
            if self.bad >= self.patience:
                break


if __name__ == "__main__":
    torch.manual_seed(0)
    train_dl = DataLoader(TaggedSentences(60), batch_size=12, shuffle=True, collate_fn=collate)
    valid_dl = DataLoader(TaggedSentences(24), batch_size=12, collate_fn=collate)
    Learner(BiLSTMTagger()).fit(train_dl, valid_dl)
