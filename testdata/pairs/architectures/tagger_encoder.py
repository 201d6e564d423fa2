# -*- coding: utf-8 -*-
"""Recurrent sequence encoders."""

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


def sequence_mask(lengths, max_len=None):
    """Boolean mask (B, T) that is True at the valid positions."""
    batch_size = lengths.numel()
    max_len = max_len or int(lengths.max())
    return (torch.arange(0, max_len, device=lengths.device)
            .type_as(lengths)
            .repeat(batch_size, 1)
            .lt(lengths.unsqueeze(1)))


def reverse_padded(inputs, lengths):
    """Reverse every sequence of a padded batch, leaving the padding where it is."""
    out = inputs.clone()
    for i, n in enumerate(lengths.tolist()):
        out[i, :n] = inputs[i, :n].flip(0)
    return out


class EncoderBase(nn.Module):
    """Base encoder. Specifies the interface used by different encoder types."""

    def _check_args(self, src, lengths=None):
        n_batch = src.size(0)
        if lengths is not None:
            n_batch_, = lengths.size()
            if n_batch != n_batch_:
                raise ValueError("Not all arguments have the same batch size: "
                                 "%d vs %d" % (n_batch, n_batch_))

    @property
    def output_size(self):
        raise NotImplementedError

    def forward(self, src, lengths=None):
        raise NotImplementedError


class MeanEncoder(EncoderBase):
    """A trivial non-recurrent encoder. Simply applies mean pooling."""

    def __init__(self, num_layers, embeddings):
        super(MeanEncoder, self).__init__()
        self.num_layers = num_layers
        self.embeddings = embeddings

    @property
    def output_size(self):
        return self.embeddings.embedding_dim

    def forward(self, src, lengths=None):
        self._check_args(src, lengths)
        emb = self.embeddings(src)
        if lengths is not None:
            mask = sequence_mask(lengths, src.size(1)).float()
            mask = mask / lengths.unsqueeze(1).float()
            mean = torch.bmm(mask.unsqueeze(1), emb).squeeze(1)
        else:
            mean = emb.mean(1)
        mean = mean.expand(self.num_layers, -1, -1)
        return (mean, mean), emb


class RNNEncoder(EncoderBase):
    """A generic recurrent neural network encoder.

    Args:
       rnn_type (str): one of RNN, LSTM, GRU
       bidirectional (bool): use a bidirectional RNN
       num_layers (int): number of stacked layers
       hidden_size (int): hidden size of each layer, both directions together
       dropout (float): dropout value between the layers
       embeddings (nn.Embedding): embedding module to use
    """

    def __init__(self, rnn_type, bidirectional, num_layers, hidden_size,
                 dropout=0.0, embeddings=None, use_bridge=False):
        super(RNNEncoder, self).__init__()
        assert embeddings is not None
        assert rnn_type in ("RNN", "LSTM", "GRU"), rnn_type
        num_directions = 2 if bidirectional else 1
        assert hidden_size % num_directions == 0
        self.hidden_size = hidden_size
        self.embeddings = embeddings
        self.rnn = getattr(nn, rnn_type)(
            input_size=embeddings.embedding_dim,
            hidden_size=hidden_size // num_directions,
            num_layers=num_layers,
            dropout=dropout if num_layers > 1 else 0.0,
            batch_first=True,
            bidirectional=bidirectional)
        self.num_directions = num_directions
        self.use_bridge = use_bridge
        if use_bridge:
            self.bridge = nn.Linear(hidden_size, hidden_size)

    @property
    def output_size(self):
        return self.hidden_size

    def _cat_directions(self, state):
        if self.num_directions == 1:
            return state
        return torch.cat([state[0::2], state[1::2]], dim=2)

    def forward(self, src, lengths=None):
        self._check_args(src, lengths)
        emb = self.embeddings(src)

        packed = emb
        order = None
        if lengths is not None:
            lengths, order = lengths.view(-1).sort(descending=True)
            packed = pack_padded_sequence(emb[order], lengths.cpu(), batch_first=True)

        memory, state = self.rnn(packed)

        if lengths is not None:
            memory, _ = pad_packed_sequence(memory, batch_first=True,
                                            total_length=src.size(1))
            inverse = order.argsort()
            memory = memory[inverse]
            if isinstance(state, tuple):
                state = tuple(s[:, inverse] for s in state)
            else:
                state = state[:, inverse]

        if isinstance(state, tuple):
            state = tuple(self._cat_directions(s) for s in state)
        else:
            state = self._cat_directions(state)
        if self.use_bridge:
            state = (tuple(torch.tanh(self.bridge(s)) for s in state)
                     if isinstance(state, tuple) else torch.tanh(self.bridge(state)))
        return state, memory


class SequenceTagger(nn.Module):
    def __init__(self, encoder, num_tags, pad_tag=0):
        super(SequenceTagger, self).__init__()
        self.encoder = encoder
        self.pad_tag = pad_tag
        self.proj = nn.Linear(encoder.output_size, num_tags)

    def forward(self, tokens, lengths=None):
        return self.proj(self.encoder(tokens, lengths)[1])

    def decode(self, tokens, lengths):
        """List of tag sequences, without padding."""
        best = self.forward(tokens, lengths).argmax(-1)
        return [row[:n].cpu().numpy() for row, n in zip(best, lengths.tolist())]
