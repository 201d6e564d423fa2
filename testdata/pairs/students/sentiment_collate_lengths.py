import time
from collections import Counter
from functools import partial

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader

POS = "a warm funny and moving film with a great cast".split()
NEG = "dull slow and painfully bad script a waste of time".split()


def make_reviews(n, seed=0):
    g = torch.Generator().manual_seed(seed)
    out = []
    for i in range(n):
        words = POS if i % 2 else NEG
        k = int(torch.randint(2, 9, (1,), generator=g))
        pick = torch.randint(len(words), (k,), generator=g)
        out.append((i % 2, " ".join(words[j] for j in pick)))
    return out


class Vocab:
    def __init__(self, texts, min_freq=1):
        counter = Counter(w for t in texts for w in t.split())
        self.itos = ["<pad>", "<unk>"] + sorted(w for w, c in counter.items() if c >= min_freq)
        self.stoi = {w: i for i, w in enumerate(self.itos)}

    def __call__(self, text):
        return [self.stoi.get(w, 1) for w in text.split()]

    def __len__(self):
        return len(self.itos)


def collate_batch(batch, vocab, device):
    label_list, text_list, lengths = [], [], []
    for label, text in batch:
        label_list.append(label)
        processed = torch.tensor(vocab(text), dtype=torch.int64)
        text_list.append(processed)
        lengths.append(processed.size(0))
    labels = torch.tensor(label_list, dtype=torch.float32)
    texts = pad_sequence(text_list, batch_first=True)
    lengths = torch.tensor(lengths)
    return labels.to(device), texts.to(device), lengths


class GRUClassifier(nn.Module):
    def __init__(self, vocab_size: int, embed_dim: int = 12, hidden: int = 16, bidirectional: bool = True):
        super().__init__()
        self.hidden = hidden
        self.n_dir = 2 if bidirectional else 1
        self.embedding = nn.Embedding(vocab_size, embed_dim, padding_idx=0)
        self.rnn = nn.GRU(embed_dim, hidden, batch_first=True, bidirectional=bidirectional)
        self.fc = nn.Linear(self.n_dir * hidden, 1)
        self.init_weights()

    def init_weights(self):
        initrange = 0.5
        self.embedding.weight.data.uniform_(-initrange, initrange)
        self.fc.bias.data.zero_()

    def mean_pool(self, out: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        steps = torch.arange(out.size(1), device=out.device)
        mask = (steps[None, :] < lengths[:, None].to(out.device)).unsqueeze(-1)
        return (out * mask).sum(1) / mask.sum(1)

    def forward(self, text: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        embedded = self.embedding(text)
        packed = pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False)
        h0 = embedded.new_zeros(self.n_dir, text.size(0), self.hidden)
        packed_out, _ = self.rnn(packed, h0)
        out, out_lengths = pad_packed_sequence(packed_out, batch_first=True)
        return self.fc(self.mean_pool(out, out_lengths)).squeeze(-1)


def binary_accuracy(logits, y):
    return (torch.round(torch.sigmoid(logits)) == y).float().mean()


def train(dataloader, model, optimizer, criterion, epoch):
    model.train()
    total_acc, total_count, start = 0, 0, time.time()
    for label, text, lengths in dataloader:
        optimizer.zero_grad()
        logits = model(text, lengths)
        loss = criterion(logits, label)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.1)
        optimizer.step()
        total_acc += binary_accuracy(logits, label).item() * label.size(0)
        total_count += label.size(0)
    print("| epoch {:3d} | accuracy {:6.3f} | {:.2f}s".format(epoch, total_acc / total_count, time.time() - start))


def predict(model, vocab, device, sentence):
    model.eval()
    ids = vocab(sentence)
    with torch.no_grad():
        text = torch.tensor([ids], device=device)
        return torch.sigmoid(model(text, torch.tensor([len(ids)]))).item()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    train_data = make_reviews(64)
    vocab = Vocab(t for _, t in train_data)
    loader = DataLoader(train_data, batch_size=8, shuffle=True,
                        collate_fn=partial(collate_batch, vocab=vocab, device=device))
    model = GRUClassifier(len(vocab)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=5.0)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5)
    for epoch in range(1, 3):
        train(loader, model, optimizer, nn.BCEWithLogitsLoss(), epoch)
        scheduler.step()
    print("positive: %.3f" % predict(model, vocab, device, "a great and moving film"))


if __name__ == "__main__":
    main()
