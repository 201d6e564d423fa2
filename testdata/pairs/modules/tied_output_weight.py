import math
from collections import Counter

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pad_sequence, pack_padded_sequence, pad_packed_sequence


class Vocab:
    def __init__(self, sentences):
        freq = Counter(w for s in sentences for w in s)
        self.itos = ["<pad>", "<s>", "</s>"] + [w for w, _ in freq.most_common()]
        self.stoi = {w: i for i, w in enumerate(self.itos)}

    def encode(self, words):
        return torch.tensor([1] + [self.stoi[w] for w in words] + [2])

    def __len__(self):
        return len(self.itos)


class TiedLSTMLM(nn.Module):
    def __init__(self, vocab_size, dim=24, layers=1, dropout=0.1, tie=True):
        super().__init__()
        self.encoder = nn.Embedding(vocab_size, dim, padding_idx=0)
        self.rnn = nn.LSTM(dim, dim, layers, batch_first=True)
        self.drop = nn.Dropout(dropout)
        self.bias = nn.Parameter(torch.zeros(vocab_size))
        self.tie = tie
        if not tie:
            self.decoder = nn.Linear(dim, vocab_size, bias=False)
        self.init_weights()
        self.tie_weights()

    def init_weights(self):
        with torch.no_grad():
            self.encoder.weight.uniform_(-0.1, 0.1)
            self.encoder.weight[0].zero_()

    def tie_weights(self):
        """Output projection (dim x vocab): the transposed embedding, or the decoder's own weight."""
        weight = self.encoder.weight if self.tie else self.decoder.weight
        self._tied = [weight]

    def zero_state(self, batch_size):
        w = next(self.parameters())
        shape = (self.rnn.num_layers, batch_size, self.rnn.hidden_size)
        return w.new_zeros(shape), w.new_zeros(shape)

    def forward(self, ids, lengths):
        emb = self.drop(self.encoder(ids))
        packed = pack_padded_sequence(emb, lengths, batch_first=True, enforce_sorted=False)
        out, _ = self.rnn(packed, self.zero_state(ids.size(0)))
        out, _ = pad_packed_sequence(out, batch_first=True)
        return self.project(self.drop(out))

    def project(self, hidden):
        return torch.matmul(hidden, self._tied[0].t()) + self.bias


def collate(batch):
    lengths = torch.tensor([len(b) - 1 for b in batch])
    padded = pad_sequence(batch, batch_first=True)
    return padded[:, :-1], padded[:, 1:], lengths


def toy_corpus(n=60, seed=0):
    g = torch.Generator().manual_seed(seed)
    subj, verb, obj = ["cat", "dog", "bird"], ["sees", "likes"], ["fish", "grass", "seed", "milk"]
    corpus = []
    for _ in range(n):
        i, j, k = (int(torch.randint(0, m, (1,), generator=g)) for m in (3, 2, 4))
        s = [subj[i], verb[j], obj[k]]
        corpus.append(s + ["and"] + s[::-1] if k % 2 else s)
    return corpus


def run_epoch(model, loader, criterion, device, opt=None):
    model.train(opt is not None)
    nll, count = 0.0, 0
    for x, y, lengths in loader:
        x, y = x.to(device), y.to(device)
        logits = model(x, lengths)
        loss = criterion(logits.flatten(0, 1), y.flatten())
        if opt is not None:
            opt.zero_grad()
            (loss / lengths.sum()).backward()
            opt.step()
        nll += loss.item()
        count += int(lengths.sum())
    return math.exp(nll / count)


def main():
    torch.manual_seed(0)
    if torch.cuda.is_available():
        device = torch.device("cuda")
    else:
        device = torch.device("cpu")
    corpus = toy_corpus()
    vocab = Vocab(corpus)
    encoded = [vocab.encode(s) for s in corpus]
    loader = torch.utils.data.DataLoader(encoded, batch_size=10, collate_fn=collate, shuffle=True)

    model = TiedLSTMLM(len(vocab)).to(device)
    criterion = nn.CrossEntropyLoss(ignore_index=0, reduction="sum")
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(3):
        train_ppl = run_epoch(model, loader, criterion, device, opt)
        with torch.no_grad():
            ppl = run_epoch(model, loader, criterion, device)
        print(f"epoch {epoch} train ppl {train_ppl:.2f} eval ppl {ppl:.2f}")


if __name__ == "__main__":
    main()
