"""An encoder and a decoder with attention, decoding step by step."""

import random

import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
SOS, EOS, LENGTH = 0, 1, 6


class EncoderRNN(nn.Module):
    def __init__(self, vocabulary, hidden):
        super().__init__()
        self.hidden = hidden
        self.embedding = nn.Embedding(vocabulary, hidden)
        self.gru = nn.GRU(hidden, hidden)

    def forward(self, token, hidden):
        embedded = self.embedding(token).view(1, 1, -1)
        return self.gru(embedded, hidden)

    def init_hidden(self):
        return torch.zeros(1, 1, self.hidden, device=device)


class AttnDecoderRNN(nn.Module):
    def __init__(self, hidden, vocabulary):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, hidden)
        self.attn = nn.Linear(hidden * 2, LENGTH)
        self.combine = nn.Linear(hidden * 2, hidden)
        self.gru = nn.GRU(hidden, hidden)
        self.out = nn.Linear(hidden, vocabulary)

    def forward(self, token, hidden, encoded):
        embedded = self.embedding(token).view(1, 1, -1)
        weights = F.softmax(self.attn(torch.cat((embedded[0], hidden[0]), 1)), dim=1)
        applied = torch.bmm(weights.unsqueeze(0), encoded.unsqueeze(0))
        output = F.relu(self.combine(torch.cat((embedded[0], applied[0]), 1)).unsqueeze(0))
        output, hidden = self.gru(output, hidden)
        return F.log_softmax(self.out(output[0]), dim=1), hidden


def tensor_from(words):
    return torch.tensor([*words, EOS], dtype=torch.long, device=device).view(-1, 1)


def train(source, target, encoder, decoder, optimizers, criterion):
    hidden = encoder.init_hidden()
    for optimizer in optimizers:
        optimizer.zero_grad()
    encoded = torch.zeros(LENGTH, encoder.hidden, device=device)
    for at in range(source.size(0)):
        output, hidden = encoder(source[at], hidden)
        encoded[at] = output[0, 0]

    token = torch.tensor([[SOS]], device=device)
    loss = 0
    forced = random.random() < 0.5
    for at in range(target.size(0)):
        output, hidden = decoder(token, hidden, encoded)
        loss += criterion(output, target[at])
        token = target[at] if forced else output.topk(1)[1].squeeze().detach()
    loss.backward()
    for optimizer in optimizers:
        optimizer.step()
    return loss.item() / target.size(0)


encoder = EncoderRNN(10, 8).to(device)
decoder = AttnDecoderRNN(8, 10).to(device)
optimizers = [torch.optim.SGD(each.parameters(), lr=0.01) for each in (encoder, decoder)]
pairs = [((2, 3, 4), (4, 3, 2)), ((5, 6), (6, 5))]
for source, target in pairs:
    print(
        train(tensor_from(source), tensor_from(target), encoder, decoder, optimizers, nn.NLLLoss())
    )
