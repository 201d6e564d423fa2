"""Source-free adaptation: pseudo labels from class prototypes collected over the target set."""
import torch
import torch.nn as nn
import torch.nn.functional as F

OPT = {"classes": 4, "dim": 16, "bank": 48, "epochs": 2, "batch": 12, "lr": 0.02, "gpu_id": "0"}


def get_device(opt):
    return torch.device("cuda:" + opt["gpu_id"] if torch.cuda.is_available() else "cpu")


class Bottleneck(nn.Module):
    def __init__(self, din, dim):
        super().__init__()
        self.fc = nn.Linear(din, dim)
        self.bn = nn.BatchNorm1d(dim, affine=True)

    def forward(self, x):
        return self.bn(self.fc(x))


class PrototypeStore(nn.Module):
    def __init__(self, classes, dim, momentum=0.9):
        super().__init__()
        self.momentum = momentum
        self.register_buffer("proto", F.normalize(torch.randn(classes, dim), dim=1))
        self.register_buffer("ready", torch.zeros(classes, dtype=torch.bool))
        self._begin()

    def _begin(self):
        self._sum = torch.zeros(self.proto.shape)
        self._cnt = torch.zeros(len(self.proto))

    @torch.no_grad()
    def observe(self, feats, labels, conf, threshold=0.2):
        keep = conf > threshold
        feats, labels = feats[keep], labels[keep]
        self._sum.index_add_(0, labels.cpu(), F.normalize(feats, dim=1).cpu())
        self._cnt += torch.bincount(labels, minlength=len(self._cnt)).cpu()

    @torch.no_grad()
    def commit(self):
        seen = (self._cnt > 0).to(self.proto.device)
        mean = (self._sum / self._cnt.clamp(min=1).unsqueeze(1)).to(self.proto.device)
        mixed = torch.where(self.ready[:, None], self.momentum * self.proto + (1 - self.momentum) * mean, mean)
        self.proto[seen] = F.normalize(mixed[seen], dim=1)
        self.ready |= seen
        self._begin()

    def assign(self, feats):
        sim = F.normalize(feats, dim=1) @ self.proto.t()
        return sim.masked_fill(~self.ready, -1.0).argmax(1)


class SHOT:
    def __init__(self, opt):
        self.opt = opt
        self.device = get_device(opt)
        self.netB = Bottleneck(20, opt["dim"]).to(self.device)
        self.netC = nn.utils.parametrizations.weight_norm(nn.Linear(opt["dim"], opt["classes"])).to(self.device)
        for p in self.netC.parameters():
            p.requires_grad = False
        self.protos = PrototypeStore(opt["classes"], opt["dim"]).to(self.device)
        self.optimizer = torch.optim.SGD(self.netB.parameters(), lr=opt["lr"], momentum=0.9)

    def im_loss(self, logits):
        p = logits.softmax(1)
        ent = -(p * torch.log(p + 1e-5)).sum(1).mean()
        avg = p.mean(0)
        return ent + (avg * torch.log(avg + 1e-5)).sum()

    @torch.no_grad()
    def collect(self, x):
        self.netB.eval()
        for xb in x.split(self.opt["batch"]):
            f = self.netB(xb.to(self.device))
            conf, pred = self.netC(f).softmax(1).max(1)
            self.protos.observe(f, pred, conf)
        self.protos.commit()
        return torch.cat([self.protos.assign(self.netB(xb.to(self.device))).cpu() for xb in x.split(self.opt["batch"])])

    def adapt(self, x):
        for epoch in range(self.opt["epochs"]):
            pseudo = self.collect(x)
            self.netB.train()
            for idx in torch.randperm(len(x)).split(self.opt["batch"]):
                out = self.netC(self.netB(x[idx].to(self.device)))
                loss = 0.3 * F.cross_entropy(out, pseudo[idx].to(self.device)) + self.im_loss(out)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
            print("epoch", epoch, "loss %.4f" % loss.item(), "hist", torch.bincount(pseudo, minlength=4).numpy())


if __name__ == "__main__":
    torch.manual_seed(2020)
    SHOT(OPT).adapt(torch.randn(OPT["bank"], 20))
