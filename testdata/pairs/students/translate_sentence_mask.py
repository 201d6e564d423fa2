# %% Transformer for translation, from scratch (after "Attention is all you need")
import math
import torch
import torch.nn as nn

DEVICE = torch.device('cuda' if torch.cuda.is_available() else 'cpu')
PAD_IDX, BOS_IDX, EOS_IDX = 0, 1, 2
SRC_VOCAB = TGT_VOCAB = 15
EMB_SIZE, NHEAD, FFN, LAYERS = 16, 2, 32, 1
torch.manual_seed(0)


class PositionalEncoding(nn.Module):
    def __init__(self, emb_size, dropout=0.1, maxlen=50):
        super().__init__()
        den = torch.exp(-torch.arange(0, emb_size, 2) * math.log(10000) / emb_size)
        pos = torch.arange(0, maxlen).reshape(maxlen, 1)
        pos_embedding = torch.zeros((maxlen, emb_size))
        pos_embedding[:, 0::2] = torch.sin(pos * den)
        pos_embedding[:, 1::2] = torch.cos(pos * den)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer('pos_embedding', pos_embedding.unsqueeze(0))

    def forward(self, x):
        return self.dropout(x + self.pos_embedding[:, :x.size(1)])


class Attention(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.heads, self.dk = heads, d // heads
        self.q, self.k, self.v, self.o = (nn.Linear(d, d) for _ in range(4))

    def split(self, t):
        return t.view(t.size(0), -1, self.heads, self.dk).transpose(1, 2)

    def forward(self, q, kv, mask):
        q, k, v = self.split(self.q(q)), self.split(self.k(kv)), self.split(self.v(kv))
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.dk)
        scores = scores.masked_fill(mask == 0, float('-inf'))
        out = scores.softmax(-1) @ v
        return self.o(out.transpose(1, 2).flatten(2))


class Layer(nn.Module):
    def __init__(self, d, heads, ffn, cross=False):
        super().__init__()
        self.self_attn = Attention(d, heads)
        self.cross_attn = Attention(d, heads) if cross else None
        self.ff = nn.Sequential(nn.Linear(d, ffn), nn.ReLU(), nn.Linear(ffn, d))
        self.norms = nn.ModuleList(nn.LayerNorm(d) for _ in range(3))

    def forward(self, x, mask, memory=None, memory_mask=None):
        x = self.norms[0](x + self.self_attn(x, x, mask))
        if self.cross_attn is not None:
            x = self.norms[1](x + self.cross_attn(x, memory, memory_mask))
        return self.norms[2](x + self.ff(x))


class Seq2SeqTransformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.src_emb, self.tgt_emb = nn.Embedding(SRC_VOCAB, EMB_SIZE), nn.Embedding(TGT_VOCAB, EMB_SIZE)
        self.pe = PositionalEncoding(EMB_SIZE)
        self.enc = nn.ModuleList(Layer(EMB_SIZE, NHEAD, FFN) for _ in range(LAYERS))
        self.dec = nn.ModuleList(Layer(EMB_SIZE, NHEAD, FFN, cross=True) for _ in range(LAYERS))
        self.generator = nn.Linear(EMB_SIZE, TGT_VOCAB)

    def encode(self, src, src_mask):
        x = self.pe(self.src_emb(src))
        for layer in self.enc:
            x = layer(x, src_mask)
        return x

    def decode(self, tgt, memory, tgt_mask, src_mask):
        x = self.pe(self.tgt_emb(tgt))
        for layer in self.dec:
            x = layer(x, tgt_mask, memory, src_mask)
        return x

    def forward(self, src, tgt, src_mask, tgt_mask):
        return self.generator(self.decode(tgt, self.encode(src, src_mask), tgt_mask, src_mask))


def subsequent_mask(sz):
    return torch.tril(torch.ones(1, 1, sz, sz, dtype=torch.bool))


def create_mask(src, tgt):
    src_mask = (src != PAD_IDX)[:, None, None, :]
    tgt_mask = (tgt != PAD_IDX)[:, None, None, :] & subsequent_mask(tgt.size(1)).to(tgt.device)
    return src_mask, tgt_mask


def collate(pairs):
    def pad(seqs):
        seqs = [torch.tensor([BOS_IDX] + s + [EOS_IDX]) for s in seqs]
        return nn.utils.rnn.pad_sequence(seqs, batch_first=True, padding_value=PAD_IDX)
    return pad([p[0] for p in pairs]), pad([p[1] for p in pairs])


@torch.no_grad()
def greedy_decode(model, src, max_len):
    src = src.to(DEVICE)
    src_mask = (src != PAD_IDX)[:, None, None, :]
    memory = model.encode(src, src_mask)
    ys = torch.full((1, 1), BOS_IDX, dtype=torch.long, device=DEVICE)
    for _ in range(max_len - 1):
        out = model.decode(ys, memory, subsequent_mask(ys.size(1)).to(DEVICE), src_mask)
        next_word = model.generator(out[:, -1]).argmax(-1).item()
        ys = torch.cat([ys, ys.new_full((1, 1), next_word)], dim=1)
        if next_word == EOS_IDX:
            break
    return ys.flatten()


# %% train
data = []
for _ in range(40):
    s = torch.randint(3, SRC_VOCAB, (int(torch.randint(2, 7, ())),)).tolist()
    data.append((s, s[::-1]))
transformer = Seq2SeqTransformer().to(DEVICE)
loss_fn = nn.CrossEntropyLoss(ignore_index=PAD_IDX)
optimizer = torch.optim.Adam(transformer.parameters(), lr=3e-3, betas=(0.9, 0.98), eps=1e-9)
for epoch in range(2):
    transformer.train()
    losses = 0
    for i in range(0, len(data), 8):
        src, tgt = (t.to(DEVICE) for t in collate(data[i:i + 8]))
        logits = transformer(src, tgt[:, :-1], *create_mask(src, tgt[:, :-1]))
        loss = loss_fn(logits.reshape(-1, TGT_VOCAB), tgt[:, 1:].reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses += loss.item()
    print(f"Epoch {epoch}: {losses / 5:.3f}")

# %% translate one sentence
transformer.eval()
src, _ = collate(data[:1])
tokens = greedy_decode(transformer, src, max_len=src.size(1) + 5).cpu().numpy()
print(data[0][0], "->", " ".join(str(t) for t in tokens))
