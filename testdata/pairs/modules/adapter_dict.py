# Multilingual tagger: one shared encoder, a small bottleneck adapter per language.
import random
from collections import defaultdict

import torch
import torch.nn as nn

LANGS = {"en": 7, "de": 9, "tr": 5}
MAX_LEN = 14


class Adapter(nn.Module):
    def __init__(self, dim, bottleneck):
        super().__init__()
        self.down = nn.Linear(dim, bottleneck)
        self.up = nn.Linear(bottleneck, dim)
        nn.init.zeros_(self.up.weight)
        nn.init.zeros_(self.up.bias)

    def forward(self, h):
        return h + self.up(torch.relu(self.down(h)))


class AdapterBank(nn.Module):
    """Holds the adapters of one layer."""

    def __init__(self, dim, langs, bottleneck=8):
        super().__init__()
        self.bank = nn.ModuleDict()
        for lang in langs:
            adapter = Adapter(dim, bottleneck)
            self.bank[lang] = adapter
        self.norm = nn.LayerNorm(dim)

    def forward(self, h, lang):
        return self.norm(self.bank[lang](h))

    def trainable(self):
        for adapter in self.bank.values():
            yield from adapter.parameters()


class Tagger(nn.Module):
    def __init__(self, vocab, dim=32, layers=2):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim, padding_idx=0)
        self.layers = nn.ModuleList()
        self.adapters = nn.ModuleList()
        for _ in range(layers):
            self.layers.append(nn.TransformerEncoderLayer(dim, 4, 64, dropout=0.1, batch_first=True))
            self.adapters.append(AdapterBank(dim, LANGS))
        self.heads = nn.ModuleDict({lang: nn.Linear(dim, n) for lang, n in LANGS.items()})

    def forward(self, ids, lang):
        pad = ids == 0
        h = self.embed(ids)
        for layer, bank in zip(self.layers, self.adapters):
            h = bank(layer(h, src_key_padding_mask=pad), lang)
        return self.heads[lang](h)

    def freeze_encoder(self):
        for p in self.embed.parameters():
            p.requires_grad = False
        for p in self.layers.parameters():
            p.requires_grad = False


def make_batch(lang, bs=6, vocab=120):
    ids = torch.zeros(bs, MAX_LEN, dtype=torch.long)
    tags = torch.full((bs, MAX_LEN), -100)
    for row in range(bs):
        n = random.randint(5, MAX_LEN)
        ids[row, :n] = torch.randint(1, vocab, (n,))
        tags[row, :n] = torch.randint(0, LANGS[lang], (n,))
    return ids, tags


def accuracy(logits, tags):
    valid = tags != -100
    return (logits.argmax(-1)[valid] == tags[valid]).float().mean().item()


def main():
    random.seed(0)
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    model = Tagger(vocab=120)
    model.freeze_encoder()
    model.to(device)

    groups = [{"params": model.heads.parameters(), "lr": 1e-3}]
    for bank in model.adapters:
        groups.append({"params": list(bank.trainable()), "lr": 5e-4})
    optimizer = torch.optim.Adam(groups)
    loss_fn = nn.CrossEntropyLoss(ignore_index=-100)

    stats = defaultdict(list)
    for step in range(6):
        lang = random.choice(list(LANGS))
        ids, tags = make_batch(lang)
        ids, tags = ids.to(device), tags.to(device)
        logits = model(ids, lang)
        loss = loss_fn(logits.reshape(-1, logits.size(-1)), tags.reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        stats[lang].append((loss.item(), accuracy(logits.detach().cpu(), tags.cpu())))

    for lang, rows in sorted(stats.items()):
        losses, accs = zip(*rows)
        print(f"{lang}: loss {sum(losses) / len(losses):.3f} acc {max(accs):.2f} ({len(rows)} steps)")


if __name__ == "__main__":
    main()
