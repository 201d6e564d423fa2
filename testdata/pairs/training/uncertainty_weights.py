from itertools import chain

import torch
import torch.nn as nn
import torch.nn.functional as F

gpu = torch.cuda.is_available()
dev = "cuda" if gpu else "cpu"


class SharedEncoder(nn.Module):
    def __init__(self, in_ch=3, ch=8):
        super().__init__()
        self.conv1 = nn.Conv2d(in_ch, ch, 3, padding=1)
        self.conv2 = nn.Conv2d(ch, ch, 3, padding=1)

    def forward(self, x):
        return F.relu(self.conv2(F.relu(self.conv1(x))))


class MTLNet(nn.Module):
    TASKS = {"seg": 4, "depth": 1, "normal": 3}

    def __init__(self, ch=8):
        super().__init__()
        self.encoder = SharedEncoder(ch=ch)
        self.decoders = nn.ModuleDict()
        for name, out in self.TASKS.items():
            self.decoders[name] = nn.Conv2d(ch, out, 1)

    def forward(self, x):
        z = self.encoder(x)
        out = {k: dec(z) for k, dec in self.decoders.items()}
        out["normal"] = F.normalize(out["normal"], dim=1)
        return out


class UncertaintyWeighting(nn.Module):
    """Homoscedastic task uncertainty, Kendall & Gal 2018."""

    def __init__(self, tasks, init=0.0):
        super().__init__()
        self.tasks = list(tasks)
        self.log_vars = nn.ParameterList([nn.Parameter(torch.full((1,), init)) for _ in self.tasks])

    def extra_params(self):
        return iter(self.log_vars)

    def forward(self, losses):
        total = 0
        for task, log_var in zip(self.tasks, self.log_vars):
            factor = 1.0 if task == "seg" else 0.5
            total = total + factor * torch.exp(-log_var) * losses[task] + 0.5 * log_var
        return total.squeeze()

    def summary(self):
        return {t: round(torch.exp(-v.detach()).item(), 3) for t, v in zip(self.tasks, self.log_vars)}


class DynamicWeightAverage:
    """Liu et al. 2019; bookkeeping is plain python numbers."""

    def __init__(self, tasks, T=2.0):
        self.tasks, self.T, self.hist = list(tasks), T, []

    def push(self, avg):
        self.hist.append([avg[t] for t in self.tasks])

    def weights(self):
        if len(self.hist) < 2:
            return {t: 1.0 for t in self.tasks}
        r = torch.tensor(self.hist[-1]) / torch.tensor(self.hist[-2])
        w = len(self.tasks) * torch.softmax(r / self.T, 0)
        return dict(zip(self.tasks, w.tolist()))


def task_losses(pred, gt):
    valid = (gt["depth"] > 0).float()
    depth = (torch.abs(pred["depth"] - gt["depth"]) * valid).sum() / valid.sum().clamp(min=1)
    normal = 1 - (pred["normal"] * gt["normal"]).sum(1).mean()
    return {"seg": F.cross_entropy(pred["seg"], gt["seg"], ignore_index=-1), "depth": depth, "normal": normal}


def fake_nyu(n):
    for _ in range(n):
        img = torch.rand(4, 3, 8, 8)
        yield img, {"seg": torch.randint(-1, 4, (4, 8, 8)), "depth": F.relu(torch.randn(4, 1, 8, 8)),
                    "normal": F.normalize(torch.randn(4, 3, 8, 8), dim=1)}


def train(weighting="uncert", epochs=3):
    torch.manual_seed(0)
    model = MTLNet().to(dev)
    uncert = UncertaintyWeighting(MTLNet.TASKS).to(dev)
    dwa = DynamicWeightAverage(MTLNet.TASKS)
    optimizer = torch.optim.Adam(chain(model.parameters(), uncert.extra_params()), lr=1e-3)
    for epoch in range(epochs):
        sums = dict.fromkeys(MTLNet.TASKS, 0.0)
        w = dwa.weights()
        for k, (img, gt) in enumerate(fake_nyu(3), 1):
            img = img.to(dev)
            gt = {t: v.to(dev) for t, v in gt.items()}
            losses = task_losses(model(img), gt)
            loss = sum(w[t] * losses[t] for t in losses) if weighting == "dwa" else uncert(losses)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            for t in sums:
                sums[t] += losses[t].item()
        dwa.push({t: s / k for t, s in sums.items()})
        print(weighting, epoch, {t: round(s / k, 3) for t, s in sums.items()}, w if weighting == "dwa" else uncert.summary())


if __name__ == "__main__":
    train("dwa")
    train("uncert")
