import torch

from .distances import pairwise_sq


class Engine:
    def __init__(self, net, loss, miner, device):
        self.net = net.to(device)
        self.loss = loss.to(device)
        self.miner = miner
        self.device = device
        self.opt = torch.optim.Adam(self.net.parameters(), lr=5e-3)

    def run_epoch(self, loader):
        self.net.train()
        history = []
        for x, y in loader:
            x, y = x.to(self.device), y.to(self.device)
            dist = pairwise_sq(self.net(x))
            loss, active = self.loss(dist, self.miner(dist, y))
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            history.append((loss.item(), active.item()))
        l, a = torch.tensor(history).mean(0).tolist()
        return {"loss": round(l, 4), "active": round(a, 3)}
