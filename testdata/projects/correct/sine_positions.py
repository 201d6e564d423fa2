"""Sinusoidal positions as a buffer, a learned scale as a parameter."""

import math

import torch
from torch import Tensor, nn


class PositionalEncoding(nn.Module):
    def __init__(self, width: int, dropout: float = 0.1, max_len: int = 64) -> None:
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        self.scale = nn.Parameter(torch.ones(width))
        position = torch.arange(max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, width, 2) * (-math.log(10000.0) / width))
        pe = torch.zeros(max_len, 1, width)
        pe[:, 0, 0::2] = torch.sin(position * div_term)
        pe[:, 0, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe)

    def forward(self, x: Tensor) -> Tensor:
        x = x * self.scale + self.pe[: x.size(0)]
        return self.dropout(x)


class Tagger(nn.Module):
    def __init__(self, tokens: int, width: int, tags: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(tokens, width)
        self.encoding = PositionalEncoding(width)
        layer = nn.TransformerEncoderLayer(width, 2, 32)
        self.encoder = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)
        self.decoder = nn.Linear(width, tags)

    def forward(self, source: Tensor) -> Tensor:
        x = self.encoding(self.embedding(source))
        length = source.size(0)
        mask = torch.full((length, length), float("-inf"), device=source.device).triu(1)
        return self.decoder(self.encoder(x, mask))


def main() -> None:
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Tagger(20, 8, 5).to(device)
    source = torch.randint(0, 20, (10, 3)).to(device)
    target = torch.randint(0, 5, (10, 3)).to(device)
    loss = nn.functional.cross_entropy(model(source).flatten(0, 1), target.flatten())
    loss.backward()
    model.eval()
    with torch.no_grad():
        correct = (model(source).argmax(dim=-1) == target).float().mean()
    print(f"{loss.item():.3f}, {correct.item():.0%}")


if __name__ == "__main__":
    main()
