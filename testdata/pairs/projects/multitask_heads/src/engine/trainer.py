from collections import defaultdict

import torch


class MultiTaskTrainer:
    def __init__(self, model, criterion, lr, device=None):
        if device is None:
            device = "cuda" if torch.cuda.is_available() else "cpu"
        self.device = device
        self.model = model.to(device)
        self.criterion = criterion.to(device)
        params = list(self.model.parameters()) + list(self.criterion.parameters())
        self.optimizer = torch.optim.Adam(params, lr=lr)

    def epoch(self, loader):
        self.model.train()
        logs = defaultdict(list)
        for x, targets in loader:
            x = x.to(self.device)
            targets = {k: t.to(self.device) for k, t in targets.items()}
            loss, parts = self.criterion(self.model(x), targets)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            for k, v in parts.items():
                logs[k].append(v)
        return {k: sum(v) / len(v) for k, v in logs.items()}
