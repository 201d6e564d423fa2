"""Sequences of several lengths through a packed LSTM."""

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset


class Sentences(Dataset):
    def __init__(self, count):
        self.sentences = [torch.randint(1, 30, (int(n),)) for n in torch.randint(2, 9, (count,))]

    def __len__(self):
        return len(self.sentences)

    def __getitem__(self, index):
        sentence = self.sentences[index]
        return sentence, sentence % 3


def collate(batch):
    sentences, tags = zip(*batch)
    lengths = torch.tensor([len(each) for each in sentences])
    padded = pad_sequence(sentences, batch_first=True)
    return padded, pad_sequence(tags, batch_first=True), lengths


class LSTMTagger(nn.Module):
    def __init__(self, hidden=8):
        super().__init__()
        self.hidden = hidden
        self.embedding = nn.Embedding(30, 6, padding_idx=0)
        self.lstm = nn.LSTM(6, hidden, batch_first=True)
        self.out = nn.Linear(hidden, 3)

    def init_hidden(self, batch, device):
        zeros = torch.zeros(1, batch, self.hidden, device=device)
        return zeros, zeros.clone()

    def forward(self, x, lengths):
        embedded = self.embedding(x)
        packed = pack_padded_sequence(
            embedded, lengths.cpu(), batch_first=True, enforce_sorted=False
        )
        output, _ = self.lstm(packed, self.init_hidden(x.size(0), x.device))
        output, _ = pad_packed_sequence(output, batch_first=True)
        return self.out(output)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    loader = DataLoader(Sentences(12), batch_size=4, collate_fn=collate)
    model = LSTMTagger().to(device)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters())
    for x, y, lengths in loader:
        x, y, lengths = x.to(device), y.to(device), lengths.to(device)
        scores = model(x, lengths)
        steps = torch.arange(x.size(1), device=device)
        kept = steps[None, :] < lengths[:, None]
        loss = criterion(scores[kept], y[kept])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"{loss.item():.3f}")


if __name__ == "__main__":
    main()
