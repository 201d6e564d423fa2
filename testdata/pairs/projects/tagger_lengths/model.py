import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class Encoder(nn.Module):
    def __init__(self, n_words, emb_dim, hidden):
        super(Encoder, self).__init__()
        self.embed = nn.Embedding(n_words, emb_dim, padding_idx=0)
        self.drop = nn.Dropout(0.1)
        self.lstm = nn.LSTM(emb_dim, hidden, batch_first=True, bidirectional=True)

    def forward(self, tokens, lengths):
        emb = self.drop(self.embed(tokens))
        packed = pack_padded_sequence(emb, lengths.cpu(), batch_first=True)
        out, _ = self.lstm(packed)
        out, _ = pad_packed_sequence(out, batch_first=True)
        return out


class BiLSTMTagger(nn.Module):
    def __init__(self, n_words, n_tags, emb_dim, hidden):
        super(BiLSTMTagger, self).__init__()
        self.encoder = Encoder(n_words, emb_dim, hidden)
        self.proj = nn.Linear(2 * hidden, n_tags)

    def forward(self, batch):
        return self.proj(self.encoder(batch['tokens'], batch['lengths']))

    def loss(self, batch):
        logits = self(batch)
        nll = F.cross_entropy(logits.transpose(1, 2), batch['tags'], ignore_index=0, reduction='none').sum(1)
        return (nll / batch['lengths']).mean()
