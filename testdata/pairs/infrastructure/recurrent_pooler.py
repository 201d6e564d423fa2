from __future__ import annotations

import json
import os

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class Pooling(nn.Module):
    """Pools token embeddings into one embedding per sentence."""

    POOLING_MODES = ("cls", "max", "mean", "lasttoken")

    def __init__(self, word_embedding_dimension: int, pooling_mode: str = "mean") -> None:
        super().__init__()
        if pooling_mode not in self.POOLING_MODES:
            raise ValueError(f"pooling_mode should be one of {self.POOLING_MODES}, got {pooling_mode!r}")
        self.word_embedding_dimension = word_embedding_dimension
        self.pooling_mode = pooling_mode

    def get_config_dict(self) -> dict:
        return {"word_embedding_dimension": self.word_embedding_dimension, "pooling_mode": self.pooling_mode}

    def forward(self, features: dict[str, Tensor]) -> dict[str, Tensor]:
        tokens, mask = features["token_embeddings"], features["attention_mask"]
        expanded = mask.unsqueeze(-1).to(tokens.dtype)
        if self.pooling_mode == "cls":
            pooled = tokens[:, 0]
        elif self.pooling_mode == "max":
            pooled = tokens.masked_fill(expanded == 0, -1e9).max(dim=1).values
        elif self.pooling_mode == "mean":
            pooled = (tokens * expanded).sum(1) / expanded.sum(1).clamp(min=1e-9)
        else:
            last = mask.sum(1).clamp(min=1) - 1
            pooled = tokens[torch.arange(tokens.size(0)), last.cpu()]
        features["sentence_embedding"] = pooled
        return features


class LSTM(nn.Module):
    """Bidirectional LSTM that runs over token embeddings."""

    config_keys = ["word_embedding_dimension", "hidden_dim", "num_layers", "dropout", "bidirectional"]

    def __init__(
        self,
        word_embedding_dimension: int,
        hidden_dim: int,
        num_layers: int = 1,
        dropout: float = 0.0,
        bidirectional: bool = True,
    ) -> None:
        super().__init__()
        self.word_embedding_dimension = word_embedding_dimension
        self.hidden_dim = hidden_dim
        self.num_layers = num_layers
        self.dropout = dropout
        self.bidirectional = bidirectional
        self.embeddings_dimension = hidden_dim * (2 if bidirectional else 1)
        self.encoder = nn.LSTM(
            word_embedding_dimension,
            hidden_dim,
            num_layers=num_layers,
            dropout=dropout,
            bidirectional=bidirectional,
            batch_first=True,
        )

    def forward(self, features: dict[str, Tensor]) -> dict[str, Tensor]:
        token_embeddings = features["token_embeddings"]
        sentence_lengths = features["sentence_lengths"].clamp(min=1)
        total_length = token_embeddings.size(1)

        packed = pack_padded_sequence(
            token_embeddings, sentence_lengths.cpu(), batch_first=True, enforce_sorted=False
        )
        packed = self.encoder(packed)[0]
        unpacked = pad_packed_sequence(packed, batch_first=True, total_length=total_length)[0]
        features.update({"token_embeddings": unpacked})
        return features

    def get_config_dict(self) -> dict:
        return {key: getattr(self, key) for key in self.config_keys}

    def save(self, output_path: str) -> None:
        with open(os.path.join(output_path, "lstm_config.json"), "w") as f:
            json.dump(self.get_config_dict(), f, indent=2)
        torch.save(self.state_dict(), os.path.join(output_path, "pytorch_model.bin"))

    @staticmethod
    def load(input_path: str) -> LSTM:
        with open(os.path.join(input_path, "lstm_config.json")) as f:
            model = LSTM(**json.load(f))
        weights = torch.load(os.path.join(input_path, "pytorch_model.bin"), map_location=torch.device("cpu"))
        model.load_state_dict(weights)
        return model


class WordEmbeddings(nn.Module):
    """Looks tokens up in an embedding matrix."""

    def __init__(self, vocab: list[str], dim: int, pad_token: str = "[PAD]", update: bool = False) -> None:
        super().__init__()
        self.vocab = {word: i for i, word in enumerate([pad_token] + [v for v in vocab if v != pad_token])}
        self.emb_layer = nn.Embedding(len(self.vocab), dim, padding_idx=0)
        self.emb_layer.weight.requires_grad = update

    def tokenize(self, texts: list[str]) -> dict[str, Tensor]:
        ids = [[self.vocab[w] for w in text.lower().split() if w in self.vocab] for text in texts]
        lengths = [len(row) for row in ids]
        width = max(max(lengths), 1)
        input_ids = torch.tensor([row + [0] * (width - len(row)) for row in ids], dtype=torch.long)
        return {
            "input_ids": input_ids,
            "attention_mask": (input_ids != 0).long(),
            "sentence_lengths": torch.tensor(lengths, dtype=torch.long),
        }

    def forward(self, features: dict[str, Tensor]) -> dict[str, Tensor]:
        features["token_embeddings"] = self.emb_layer(features["input_ids"])
        return features


class SentenceEncoder(nn.Sequential):
    def encode(self, sentences: list[str], batch_size: int = 32, convert_to_numpy: bool = True):
        device = next(self.parameters()).device
        self.eval()
        outputs = []
        for start in range(0, len(sentences), batch_size):
            features = self[0].tokenize(sentences[start : start + batch_size])
            features = {k: v.to(device) for k, v in features.items()}
            with torch.no_grad():
                outputs.append(self(features)["sentence_embedding"])
        embeddings = torch.cat(outputs)
        return embeddings.cpu().numpy() if convert_to_numpy else embeddings
