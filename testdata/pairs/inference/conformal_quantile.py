"""Split conformal prediction sets (APS / LAC) on top of a trained classifier."""
from dataclasses import dataclass, field
from typing import Dict, List, Sequence, Tuple

import torch
from torch import Tensor, nn


@dataclass
class CoverageReport:
    alpha: float
    qhat: float
    coverage: float
    mean_size: float
    by_class: List[float] = field(default_factory=list)

    def __str__(self) -> str:
        cls = " ".join(f"{c:.2f}" for c in self.by_class)
        return f"alpha={self.alpha:.2f} qhat={self.qhat:.3f} cov={self.coverage:.3f} size={self.mean_size:.2f} [{cls}]"


def lac_score(probs: Tensor, labels: Tensor) -> Tensor:
    return 1.0 - probs.gather(1, labels[:, None]).squeeze(1)


def aps_score(probs: Tensor, labels: Tensor) -> Tensor:
    sorted_p, order = probs.sort(dim=1, descending=True)
    rank = (order == labels[:, None]).float().argmax(dim=1)
    return sorted_p.cumsum(1).gather(1, rank[:, None]).squeeze(1)


class ConformalClassifier:
    scores = {"lac": lac_score, "aps": aps_score}

    def __init__(self, model: nn.Module, alphas: Sequence[float] = (0.05, 0.1, 0.2), method: str = "lac"):
        self.model = model.eval()
        self.method = method
        self.score_fn = self.scores[method]
        self.alphas = torch.tensor(alphas)
        self.qhat: Tensor = torch.empty(0)

    @torch.no_grad()
    def probs(self, x: Tensor) -> Tensor:
        return self.model(x).softmax(dim=1)

    def calibrate(self, x: Tensor, y: Tensor) -> "ConformalClassifier":
        scores = self.score_fn(self.probs(x), y)
        n = scores.numel()
        levels = torch.ceil((n + 1) * (1 - self.alphas)) / n
        self.qhat = torch.quantile(scores, levels.clamp(max=1.0).to(scores.device), interpolation="higher")
        return self

    def predict_sets(self, x: Tensor) -> Tensor:
        """Boolean membership, shape (alphas, batch, classes)."""
        probs = self.probs(x)
        if self.method == "lac":
            return (1 - probs)[None] <= self.qhat[:, None, None]
        sorted_p, order = probs.sort(dim=1, descending=True)
        include = (sorted_p.cumsum(1) - sorted_p)[None] <= self.qhat[:, None, None]
        return torch.zeros_like(include).scatter(2, order.expand_as(include), include)

    def report(self, x: Tensor, y: Tensor) -> List[CoverageReport]:
        sets = self.predict_sets(x)
        hit = sets.gather(2, y[None, :, None].expand(sets.size(0), -1, 1)).squeeze(2)
        out = []
        for i, alpha in enumerate(self.alphas.tolist()):
            per_class = [hit[i][y == c].float().mean().item() for c in y.unique().tolist()]
            out.append(CoverageReport(alpha, self.qhat[i].item(), hit[i].float().mean().item(),
                                      sets[i].sum(1).float().mean().item(), per_class))
        return out


def blobs(n: int, means: Tensor) -> Tuple[Tensor, Tensor]:
    y = torch.randint(0, means.size(0), (n,))
    return means[y] + torch.randn(n, means.size(1)), y


def run(device: torch.device) -> Dict[str, List[CoverageReport]]:
    means = torch.randn(4, 6) * 1.5
    model = nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 4)).to(device)
    opt = torch.optim.Adam(model.parameters(), lr=0.02)
    for _ in range(20):
        x, y = (t.to(device) for t in blobs(64, means))
        loss = nn.functional.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()

    cal = [t.to(device) for t in blobs(200, means)]
    test = [t.to(device) for t in blobs(100, means)]
    return {m: ConformalClassifier(model, method=m).calibrate(*cal).report(*test) for m in ("lac", "aps")}


if __name__ == "__main__":
    torch.manual_seed(0)
    dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    for method, rows in run(dev).items():
        for row in rows:
            print(method, row)
