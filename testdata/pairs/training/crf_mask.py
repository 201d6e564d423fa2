"""Linear-chain CRF on top of an emission network (sequence first inside the CRF)."""
from typing import List, Optional

import torch
import torch.nn as nn


class CRF(nn.Module):
    def __init__(self, num_tags: int) -> None:
        super().__init__()
        self.num_tags = num_tags
        self.start = nn.Parameter(torch.empty(num_tags))
        self.end = nn.Parameter(torch.empty(num_tags))
        self.trans = nn.Parameter(torch.empty(num_tags, num_tags))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        for p in self.parameters():
            nn.init.uniform_(p, -0.1, 0.1)

    def forward(self, emissions: torch.Tensor, tags: torch.Tensor, mask: Optional[torch.Tensor] = None) -> torch.Tensor:
        if mask is None:
            mask = torch.ones_like(tags, dtype=torch.bool)
        emissions, tags, mask = emissions.transpose(0, 1), tags.transpose(0, 1), mask.transpose(0, 1)
        gold = self._score(emissions, tags, mask)
        log_z = self._normalizer(emissions, mask)
        return (log_z - gold).mean()

    def _score(self, emissions, tags, mask):
        seq_len, batch = tags.shape
        rows = torch.arange(batch)
        score = self.start[tags[0]] + emissions[0, rows, tags[0]]
        weight = mask.to(emissions)
        for i in range(1, seq_len):
            step = self.trans[tags[i - 1], tags[i]] + emissions[i, rows, tags[i]]
            score = score + step * weight[i]
        last = weight.sum(0).long() - 1
        return score + self.end[tags[last, rows]]

    def _normalizer(self, emissions, mask):
        alpha = self.start + emissions[0]
        for i in range(1, emissions.size(0)):
            nxt = alpha.unsqueeze(2) + self.trans + emissions[i].unsqueeze(1)
            nxt = torch.logsumexp(nxt, dim=1)
            alpha = torch.where(mask[i].unsqueeze(1), nxt, alpha)
        return torch.logsumexp(alpha + self.end, dim=1)

    @torch.no_grad()
    def decode(self, emissions: torch.Tensor, lengths: List[int]) -> List[List[int]]:
        out = []
        for e, n in zip(emissions.cpu(), lengths):
            trans, score, back = self.trans.cpu(), self.start.cpu() + e[0], []
            for t in range(1, n):
                best, ptr = (score.unsqueeze(1) + trans).max(0)
                back.append(ptr)
                score = best + e[t]
            tag = int((score + self.end.cpu()).argmax())
            path = [tag]
            for ptr in reversed(back):
                tag = int(ptr[tag])
                path.append(tag)
            out.append(path[::-1])
        return out


class NERModel(nn.Module):
    def __init__(self, vocab: int = 30, tags: int = 4, dim: int = 16) -> None:
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.gru = nn.GRU(dim, dim, batch_first=True)
        self.proj = nn.Linear(dim, tags)
        self.crf = CRF(tags)

    def emissions(self, x):
        return self.proj(self.gru(self.emb(x))[0])

    def loss(self, x, tags, mask=None):
        return self.crf(self.emissions(x), tags, mask)


def batches(n, device, padded=True):
    for _ in range(n):
        x = torch.randint(1, 30, (8, 6))
        lengths = torch.randint(2, 7, (8,)) if padded else torch.full((8,), 6)
        tags = (x % 4).to(device)
        mask = (torch.arange(6)[None] < lengths[:, None]).to(device) if padded else None
        yield x.to(device), tags, mask, lengths.tolist()


def main() -> None:
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = NERModel().to(device)
    groups = [{"params": model.crf.parameters(), "lr": 5e-2},
              {"params": [p for n, p in model.named_parameters() if not n.startswith("crf")]}]
    opt = torch.optim.Adam(groups, lr=1e-2)
    for step, (x, tags, mask, _) in enumerate(batches(4, device)):
        loss = model.loss(x, tags, mask)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(f"step {step} nll {loss.item():.3f}")
    model.eval()
    with torch.no_grad():
        for x, tags, mask, lengths in batches(1, device, padded=False):
            nll = model.loss(x, tags)
            paths = model.crf.decode(model.emissions(x), lengths)
            hits = sum(p == t for path, row in zip(paths, tags.tolist()) for p, t in zip(path, row))
            print(f"eval nll {nll.item():.3f} acc {hits / sum(lengths):.2f}")


if __name__ == "__main__":
    main()
