# %% Blend of three small nets; weights from the validation loss
import json
import os
import tempfile
from typing import Dict, List

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

USE_CUDA = torch.cuda.is_available()
N_CLASSES = 4
torch.manual_seed(5)
np.random.seed(5)


def build_model(kind: str) -> nn.Module:
    if kind == "linear":
        net = nn.Linear(10, N_CLASSES)
    elif kind == "mlp":
        net = nn.Sequential(nn.Linear(10, 24), nn.ReLU(), nn.Dropout(0.1), nn.Linear(24, N_CLASSES))
    elif kind == "conv":
        net = nn.Sequential(nn.Unflatten(1, (1, 10)), nn.Conv1d(1, 6, 3, padding=1), nn.ReLU(),
                            nn.Flatten(), nn.Linear(60, N_CLASSES))
    else:
        raise ValueError(f"unknown model {kind!r}")
    return net.cuda() if USE_CUDA else net


def to_gpu(*tensors: Tensor) -> List[Tensor]:
    return [t.cuda() if USE_CUDA else t for t in tensors]


# %% data
X = torch.randn(240, 10)
W = torch.randn(10, N_CLASSES)
y = (X @ W + 0.5 * torch.randn(240, N_CLASSES)).argmax(1)
X_tr, X_va, X_te = X[:160], X[160:200], X[200:]
y_tr, y_va, y_te = y[:160], y[160:200], y[200:]


# %% training of a single member
def fit(net: nn.Module, epochs: int = 3, batch_size: int = 32) -> float:
    opt = torch.optim.RMSprop(net.parameters(), lr=5e-3)
    best, best_state = float("inf"), None
    for _ in range(epochs):
        net.train()
        for i in torch.randperm(len(X_tr)).split(batch_size):
            xb, yb = to_gpu(X_tr[i], y_tr[i])
            opt.zero_grad()
            F.cross_entropy(net(xb), yb, label_smoothing=0.05).backward()
            opt.step()
        val = validate(net)
        if val < best:
            best, best_state = val, {k: v.detach().clone() for k, v in net.state_dict().items()}
    net.load_state_dict(best_state)
    return best


@torch.no_grad()
def validate(net: nn.Module) -> float:
    net.eval()
    xv, yv = to_gpu(X_va, y_va)
    return F.cross_entropy(net(xv), yv).item()


# %% ensemble
class WeightedEnsemble(nn.Module):
    def __init__(self, members: Dict[str, nn.Module], val_losses: Dict[str, float], temperature: float = 0.5):
        super().__init__()
        self.members = nn.ModuleDict(members)
        scores = torch.tensor([-val_losses[k] for k in members])
        self.register_buffer("weights", torch.softmax(scores / temperature, dim=0))
        for p in self.parameters():
            p.requires_grad_(False)

    @property
    def summary(self) -> Dict[str, float]:
        return {k: round(w, 3) for k, w in zip(self.members, self.weights.tolist())}

    def forward(self, x: Tensor) -> Tensor:
        probs = torch.stack([m(x).softmax(dim=-1) for m in self.members.values()])
        return torch.einsum("m,mbc->bc", self.weights, probs)


def top_k_accuracy(p: Tensor, target: Tensor, k: int = 1) -> float:
    hits = p.topk(k, dim=1).indices == target[:, None]
    return hits.any(1).float().mean().item()


members, val_losses = {}, {}
for kind in ("linear", "mlp", "conv"):
    members[kind] = build_model(kind)
    val_losses[kind] = fit(members[kind])
    print(f"{kind:>7s} val loss {val_losses[kind]:.3f}")

ensemble = WeightedEnsemble(members, val_losses).eval()
if USE_CUDA:
    ensemble.cuda()
print("weights", ensemble.summary)
with torch.no_grad():
    p_test = ensemble(*to_gpu(X_te)).cpu()
print("test acc %.3f, top-2 %.3f" % (top_k_accuracy(p_test, y_te), top_k_accuracy(p_test, y_te, k=2)))

# %% out: one json with the blend, one npy with the probabilities
with tempfile.TemporaryDirectory() as out:
    np.save(os.path.join(out, "test_probs.npy"), p_test.numpy())
    with open(os.path.join(out, "blend.json"), "w") as f:
        json.dump({"weights": ensemble.summary, "val": val_losses}, f)
    print(sorted(os.listdir(out)))
