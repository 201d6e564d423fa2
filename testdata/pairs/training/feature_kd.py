import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class FeatureTap:
    """Records the output of a named submodule on every forward pass."""

    def __init__(self, model, names, detach=False):
        self.features = {}
        self._handles = []
        modules = dict(model.named_modules())
        for name in names:
            self._handles.append(modules[name].register_forward_hook(self._make_hook(name, detach)))

    def _make_hook(self, name, detach):
        def hook(module, inputs, output):
            self.features[name] = output.detach() if detach else output
        return hook

    def __getitem__(self, name):
        return self.features[name]

    def close(self):
        for h in self._handles:
            h.remove()
        self._handles.clear()
        self.features.clear()


def backbone(width, classes=6):
    net = nn.Sequential()
    net.add_module("stem", nn.Sequential(nn.Conv2d(3, width, 3, padding=1), nn.ReLU()))
    net.add_module("stage1", nn.Sequential(nn.Conv2d(width, 2 * width, 3, 2, 1), nn.ReLU()))
    net.add_module("stage2", nn.Sequential(nn.Conv2d(2 * width, 2 * width, 3, 2, 1), nn.ReLU()))
    net.add_module("head", nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2 * width, classes)))
    return net


def attention_map(f):
    return F.normalize(f.pow(2).mean(1).flatten(1))


class Distiller(nn.Module):
    def __init__(self, student, teacher, layers=("stage1", "stage2"), T=4.0, alpha=0.7, beta=50.0):
        super().__init__()
        self.student, self.teacher = student, teacher
        self.layers, self.T, self.alpha, self.beta = layers, T, alpha, beta
        for p in self.teacher.parameters():
            p.requires_grad_(False)
        self.s_tap = FeatureTap(student, layers)
        self.t_tap = FeatureTap(teacher, layers, detach=True)

    def train(self, mode=True):
        super().train(mode)
        self.teacher.eval()
        return self

    def kd_loss(self, s, t):
        return F.kl_div(F.log_softmax(s / self.T, 1), F.log_softmax(t / self.T, 1),
                        reduction="batchmean", log_target=True) * self.T ** 2

    def at_loss(self):
        terms = []
        for name in self.layers:
            fs, ft = self.s_tap[name], self.t_tap[name]
            terms.append((attention_map(fs) - attention_map(ft)).pow(2).mean())
        return sum(terms)

    def forward(self, x, y):
        s_logits = self.student(x)
        with torch.no_grad():
            t_logits = self.teacher(x)
        ce = F.cross_entropy(s_logits, y)
        loss = (1 - self.alpha) * ce + self.alpha * self.kd_loss(s_logits, t_logits) + self.beta * self.at_loss()
        return loss, s_logits.detach()


def main():
    torch.manual_seed(0)
    device = torch.device("cuda") if torch.cuda.is_available() else torch.device("cpu")
    ds = TensorDataset(torch.randn(48, 3, 16, 16), torch.randint(0, 6, (48,)))
    dl = DataLoader(ds, batch_size=12, shuffle=True, generator=torch.Generator().manual_seed(1))
    teacher, student = backbone(16), backbone(4)
    distiller = Distiller(student, teacher).to(device)
    opt = torch.optim.SGD(student.parameters(), lr=0.05, momentum=0.9)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=0.05, total_steps=2 * len(dl))
    for epoch in range(2):
        distiller.train()
        losses, logits, labels = [], [], []
        for x, y in dl:
            loss, out = distiller(x.to(device), y.to(device))
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            losses.append(loss.item())
            logits.append(out.cpu())
            labels.append(y)
        acc = (torch.cat(logits).argmax(1) == torch.cat(labels)).float().mean().item()
        print(f"epoch {epoch} loss {sum(losses) / len(losses):.4f} acc {acc:.3f}")
    distiller.s_tap.close()
    distiller.t_tap.close()


if __name__ == "__main__":
    main()
