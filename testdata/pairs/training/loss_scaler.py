import torch
import torch.nn as nn
import torch.nn.functional as F


class DynamicLossScaler:
    """Apex style loss scaling for half precision runs that manage their own master weights."""

    def __init__(self, init_scale=2.0 ** 10, scale_factor=2.0, scale_window=4, min_scale=1.0):
        self._scale = torch.tensor(init_scale)
        self.scale_factor = scale_factor
        self.scale_window = scale_window
        self.min_scale = min_scale
        self._good_steps = 0
        self.skipped = 0

    @property
    def loss_scale(self):
        return self._scale.item()

    def backward(self, loss):
        (loss.float() * self._scale).backward()

    def unscale_(self, params):
        inv = 1.0 / self.loss_scale
        for p in params:
            if p.grad is not None:
                p.grad.mul_(inv)

    @staticmethod
    def has_overflow(params):
        return any(not torch.isfinite(p.grad).all() for p in params if p.grad is not None)

    def update(self, overflow):
        if overflow:
            self._scale = (self._scale / self.scale_factor).clamp_(min=self.min_scale)
            self._good_steps = 0
            self.skipped += 1
        else:
            self._good_steps += 1
            if self._good_steps % self.scale_window == 0:
                self._scale = self._scale * self.scale_factor

    def state_dict(self):
        return {"scale": self.loss_scale, "good_steps": self._good_steps}


class MasterWeights:
    def __init__(self, model):
        self.model_params = [p for p in model.parameters() if p.requires_grad]
        self.master = [p.detach().clone().float().requires_grad_(True) for p in self.model_params]

    def grads_to_master(self):
        for m, p in zip(self.master, self.model_params):
            m.grad = None if p.grad is None else p.grad.detach().float()

    @torch.no_grad()
    def master_to_model(self):
        for m, p in zip(self.master, self.model_params):
            p.copy_(m)


def clip_by_global_norm(params, max_norm):
    norms = torch.zeros(len(params))
    for i, p in enumerate(params):
        norms[i] = p.grad.norm()
    total = norms.norm()
    coef = (max_norm / (total + 1e-6)).clamp(max=1.0)
    for p in params:
        p.grad.mul_(coef)
    return total.item()


class ConvMixer(nn.Module):
    def __init__(self, dim=16, depth=2, n_classes=5):
        super().__init__()
        self.stem = nn.Conv2d(3, dim, 4, 4)
        self.dw = nn.ModuleList([nn.Conv2d(dim, dim, 3, groups=dim, padding=1) for _ in range(depth)])
        self.pw = nn.ModuleList([nn.Conv2d(dim, dim, 1) for _ in range(depth)])
        self.head = nn.Linear(dim, n_classes)

    def forward(self, x):
        x = F.gelu(self.stem(x))
        for dw, pw in zip(self.dw, self.pw):
            x = F.gelu(pw(x + F.gelu(dw(x))))
        return self.head(x.mean((2, 3)))


def main(half=torch.bfloat16, steps=8, accumulate=2):
    torch.manual_seed(0)
    assert torch.cuda.is_available(), "this script needs a GPU"
    model = ConvMixer().cuda().to(half)
    weights = MasterWeights(model)
    scaler = DynamicLossScaler()
    optimizer = torch.optim.AdamW(weights.master, lr=2e-3)
    for step in range(steps):
        x = torch.rand(8, 3, 16, 16).cuda().to(half)
        y = torch.randint(0, 5, (8,)).cuda()
        loss = F.cross_entropy(model(x).float(), y) / accumulate
        scaler.backward(loss)
        if (step + 1) % accumulate:
            continue
        weights.grads_to_master()
        overflow = scaler.has_overflow(weights.master)
        if not overflow:
            scaler.unscale_(weights.master)
            norm = clip_by_global_norm(weights.master, 1.0)
            optimizer.step()
            weights.master_to_model()
            print(f"step {step} loss {loss.item() * accumulate:.3f} |g| {norm:.3f} scale {scaler.loss_scale:g}")
        scaler.update(overflow)
        model.zero_grad(set_to_none=True)
    print(scaler.state_dict(), "skipped", scaler.skipped)


if __name__ == "__main__":
    main()
