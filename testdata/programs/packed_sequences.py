"""A sentiment LSTM over packed sequences of different lengths."""

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

device = torch.device("cuda")


class Sentiment(nn.Module):
    def __init__(self, words=40, width=16):
        super().__init__()
        self.embedding = nn.Embedding(words, 8, padding_idx=0)
        self.lstm = nn.LSTM(
            8, width, num_layers=2, bidirectional=True, batch_first=True, dropout=0.1
        )
        self.attention = nn.Linear(2 * width, 1)
        self.out = nn.Linear(2 * width, 2)

    def forward(self, tokens, lengths):
        embedded = self.embedding(tokens)
        packed = pack_padded_sequence(  # crash 1
            embedded, lengths, batch_first=True, enforce_sorted=False
        )
        states, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        positions = torch.arange(states.shape[1], device=states.device)
        # bug 2: positions = torch.arange(states.shape[1])  # born 2
        padding = positions[None] >= lengths.to(states.device)[:, None]  # crash 2
        scores = self.attention(states).squeeze(-1).masked_fill(padding, float("-inf"))
        return self.out((scores.softmax(1)[..., None] * states).sum(1))


def collate(sentences):
    lengths = torch.tensor([len(each) for each in sentences])
    return pad_sequence(sentences, batch_first=True), lengths


model = Sentiment().to(device)
optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
for _ in range(3):
    sentences = [torch.randint(1, 40, (n,)) for n in (3, 9, 5)]
    tokens, lengths = collate(sentences)
    tokens = tokens.to(device)
    # bug 1: tokens, lengths = tokens.to(device), lengths.to(device)
    labels = torch.randint(0, 2, (3,), device=device)
    loss = nn.functional.cross_entropy(model(tokens, lengths), labels)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
print(f"loss {loss.item():.3f}")
