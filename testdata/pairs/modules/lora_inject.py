import math
import re
from dataclasses import dataclass, field
from typing import Dict, List

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class LoraConfig:
    r: int = 4
    alpha: int = 8
    dropout: float = 0.05
    target_modules: List[str] = field(default_factory=lambda: [r"\.q$", r"\.v$"])


class LoraLinear(nn.Module):
    def __init__(self, base: nn.Linear, cfg: LoraConfig):
        super().__init__()
        self.base = base
        for p in self.base.parameters():
            p.requires_grad_(False)
        self.scaling = cfg.alpha / cfg.r
        self.dropout = nn.Dropout(cfg.dropout)
        self.lora_a = nn.Parameter(base.weight.new_empty(cfg.r, base.in_features))
        self.lora_b = nn.Parameter(base.weight.new_zeros(base.out_features, cfg.r))
        nn.init.kaiming_uniform_(self.lora_a, a=math.sqrt(5))

    def delta(self):
        return self.lora_b @ self.lora_a * self.scaling

    def forward(self, x):
        update = F.linear(F.linear(self.dropout(x), self.lora_a), self.lora_b)
        return self.base(x) + update * self.scaling

    @torch.no_grad()
    def merge(self) -> nn.Linear:
        self.base.weight += self.delta()
        return self.base


class SelfAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v = (nn.Linear(dim, dim) for _ in range(3))
        self.out = nn.Linear(dim, dim)

    def forward(self, x):
        q, k, v = (m(x).unflatten(-1, (self.heads, -1)).transpose(1, 2) for m in (self.q, self.k, self.v))
        y = F.scaled_dot_product_attention(q, k, v)
        return self.out(y.transpose(1, 2).flatten(2))


class Classifier(nn.Module):
    def __init__(self, vocab=80, dim=32, depth=2, classes=3):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.pos = nn.Parameter(torch.zeros(1, 32, dim))
        self.attn = nn.ModuleList([SelfAttention(dim, 4) for _ in range(depth)])
        self.norm = nn.ModuleList([nn.LayerNorm(dim) for _ in range(depth)])
        self.fc = nn.Linear(dim, classes)

    def forward(self, ids):
        x = self.emb(ids) + self.pos[:, : ids.size(1)]
        for attn, norm in zip(self.attn, self.norm):
            x = x + attn(norm(x))
        return self.fc(x.mean(1))


def inject(model: nn.Module, cfg: LoraConfig) -> List[str]:
    replaced = []
    for name, module in list(model.named_modules()):
        if isinstance(module, nn.Linear) and any(re.search(p, name) for p in cfg.target_modules):
            parent_name, _, child = name.rpartition(".")
            setattr(model.get_submodule(parent_name), child, LoraLinear(module, cfg))
            replaced.append(name)
    return replaced


def merge_all(model: nn.Module) -> None:
    for name, module in list(model.named_modules()):
        if isinstance(module, LoraLinear):
            parent_name, _, child = name.rpartition(".")
            setattr(model.get_submodule(parent_name), child, module.merge())


def lora_state_dict(model: nn.Module) -> Dict[str, torch.Tensor]:
    return {k: v.cpu() for k, v in model.state_dict().items() if "lora_" in k}


def load_pretrained(device: torch.device) -> Classifier:
    weights = Classifier().state_dict()
    model = Classifier()
    model.load_state_dict(weights)
    return model.to(device)


def finetune(model, device, steps=4):
    params = [p for n, p in model.named_parameters() if "lora_" in n or n.startswith("fc.")]
    optimizer = torch.optim.AdamW(params, lr=1e-3)
    model.train()
    for step in range(steps):
        ids = torch.randint(0, 80, (8, 12), device=device)
        labels = torch.randint(0, 3, (8,), device=device)
        loss = F.cross_entropy(model(ids), labels)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        print(f"step={step} loss={loss.item():.3f}")


def main():
    torch.manual_seed(0)
    device = torch.device("cuda", 0) if torch.cuda.is_available() else torch.device("cpu")
    model = load_pretrained(device)
    names = inject(model, LoraConfig())
    n_train = sum(p.numel() for n, p in model.named_parameters() if "lora_" in n)
    print(f"adapted {len(names)} layers, {n_train} new parameters")
    finetune(model, device)
    adapter = lora_state_dict(model)
    merge_all(model)
    model.eval()
    with torch.no_grad():
        pred = model(torch.randint(0, 80, (2, 12)).to(device)).argmax(-1)
    print(pred.tolist(), len(adapter))


if __name__ == "__main__":
    main()
