import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cuda", 0) if torch.cuda.is_available() else torch.device("cpu")


class Encoder(nn.Module):
    def __init__(self, din=20, dim=16):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(din, 32), nn.ReLU())
        self.fc = nn.Linear(32, dim)

    def forward(self, x):
        return self.fc(self.trunk(x))


class MoCo(nn.Module):
    """Momentum contrast with a FIFO queue of negatives (single process)."""

    def __init__(self, base_encoder, dim=16, K=64, m=0.99, T=0.2):
        super().__init__()
        self.K = K
        self.m = m
        self.T = T
        self.dim = dim

        self.encoder_q = base_encoder(dim=dim)
        self.encoder_k = copy.deepcopy(self.encoder_q)
        for p in self.encoder_k.parameters():
            p.requires_grad = False

        self.register_buffer("queue", torch.empty(dim, K))
        self.register_buffer("queue_ptr", torch.zeros(1, dtype=torch.long))
        self.reset_queue()

    @torch.no_grad()
    def reset_queue(self):
        self.queue = F.normalize(torch.randn(self.dim, self.K, device=self.queue.device), dim=0)
        self.queue_ptr.zero_()

    @torch.no_grad()
    def _momentum_update(self):
        for param_q, param_k in zip(self.encoder_q.parameters(), self.encoder_k.parameters()):
            param_k.data = param_k.data * self.m + param_q.data * (1.0 - self.m)

    @torch.no_grad()
    def _dequeue_and_enqueue(self, keys):
        n = keys.shape[0]
        ptr = int(self.queue_ptr)
        assert self.K % n == 0
        self.queue[:, ptr:ptr + n] = keys.T
        self.queue_ptr[0] = (ptr + n) % self.K

    @torch.no_grad()
    def _shuffled_keys(self, im_k):
        order = torch.randperm(im_k.shape[0])
        inverse = torch.argsort(order)
        k = F.normalize(self.encoder_k(im_k[order]), dim=1)
        return k[inverse]

    def forward(self, im_q, im_k):
        q = F.normalize(self.encoder_q(im_q), dim=1)
        with torch.no_grad():
            self._momentum_update()
            k = self._shuffled_keys(im_k)
        l_pos = torch.einsum("nc,nc->n", q, k).unsqueeze(-1)
        l_neg = torch.einsum("nc,ck->nk", q, self.queue.clone().detach())
        logits = torch.cat([l_pos, l_neg], dim=1) / self.T
        labels = torch.zeros(logits.shape[0], dtype=torch.long, device=logits.device)
        self._dequeue_and_enqueue(k)
        return logits, labels


def two_views(x, noise=0.2, drop=0.1):
    def aug(z):
        keep = (torch.rand(z.shape) > drop).float()
        return z * keep + noise * torch.randn(z.shape)
    return aug(x), aug(x)


def pretrain_stage(model, data, opt, epochs, bs=16, stage=""):
    for epoch in range(epochs):
        total, correct = 0.0, 0
        for xb in data[torch.randperm(len(data))].split(bs):
            v1, v2 = two_views(xb)
            logits, labels = model(v1.to(device), v2.to(device))
            loss = F.cross_entropy(logits, labels)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(xb)
            correct += (logits.argmax(1) == labels).sum().item()
        print(f"{stage} epoch {epoch}: loss {total / len(data):.3f} acc {correct / len(data):.2f}")


def main():
    torch.manual_seed(3)
    source, target = torch.randn(64, 20), torch.randn(32, 20) + 1.0
    model = MoCo(Encoder).to(device)
    trainable = [p for p in model.parameters() if p.requires_grad]
    opt = torch.optim.SGD(trainable, lr=0.05, momentum=0.9, weight_decay=1e-4)
    pretrain_stage(model, source, opt, epochs=2, stage="source")
    model.reset_queue()
    pretrain_stage(model, target, opt, epochs=1, stage="target")


if __name__ == "__main__":
    main()
