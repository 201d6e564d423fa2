import copy
import logging
from typing import List, Optional

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

logging.basicConfig(level=logging.INFO, format="%(message)s")


class SimpleLinear(nn.Linear):
    def forward(self, x):
        return {"logits": super().forward(x)}


class IncrementalNet(nn.Module):
    def __init__(self, init_classes: int, in_dim: int = 16, feature_dim: int = 24):
        super().__init__()
        self.convnet = nn.Sequential(nn.Linear(in_dim, feature_dim), nn.ReLU(), nn.Linear(feature_dim, feature_dim))
        self.feature_dim = feature_dim
        self.fc = SimpleLinear(feature_dim, init_classes)

    def update_fc(self, nb_classes: int):
        fc = SimpleLinear(self.feature_dim, nb_classes)
        nb_output = self.fc.out_features
        fc.weight.data[:nb_output] = self.fc.weight.data
        fc.bias.data[:nb_output] = self.fc.bias.data
        self.fc = fc

    def weight_align(self, increment: int):
        w = self.fc.weight.data
        new, old = w[-increment:].norm(dim=1).mean(), w[:-increment].norm(dim=1).mean()
        gamma = old / new
        self.fc.weight.data[-increment:] *= gamma

    def forward(self, x):
        out = self.fc(self.convnet(x))
        return out

    def freeze(self):
        for p in self.parameters():
            p.requires_grad = False
        return self.eval()


def kd_loss(pred, soft, T=2.0):
    return -(torch.softmax(soft / T, 1) * torch.log_softmax(pred / T, 1)).sum(1).mean()


class iCaRLLearner:
    def __init__(self, device: torch.device, classes_per_task: int = 3, memory_per_class: int = 4):
        self.device = device
        self.inc = classes_per_task
        self.mem = memory_per_class
        self.network = IncrementalNet(classes_per_task)
        self.network.to(device)
        self.old_network: Optional[nn.Module] = None
        self.known = 0
        self.exemplars: List[np.ndarray] = []

    def begin_task(self):
        self.total = self.known + self.inc
        if self.total > self.network.fc.out_features:
            self.network.update_fc(self.total)
            self.network.to(self.device)

    def incremental_train(self, x: np.ndarray, y: np.ndarray):
        self.begin_task()
        if self.exemplars:
            x = np.concatenate([x] + self.exemplars)
            y = np.concatenate([y] + [np.full(len(e), c) for c, e in enumerate(self.exemplars)])
        loader = DataLoader(TensorDataset(torch.from_numpy(x), torch.from_numpy(y)), batch_size=16, shuffle=True)
        optimizer = torch.optim.SGD(self.network.parameters(), lr=0.05, momentum=0.9)
        for epoch in range(2):
            losses, correct, total = 0.0, 0, 0
            self.network.train()
            for inputs, targets in loader:
                inputs, targets = inputs.to(self.device), targets.to(self.device)
                logits = self.network(inputs)["logits"]
                loss = F.cross_entropy(logits, targets)
                if self.old_network is not None:
                    loss = loss + kd_loss(logits[:, :self.known], self.old_network(inputs)["logits"])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                losses += loss.item()
                correct += logits.argmax(1).eq(targets).cpu().sum()
                total += len(targets)
            acc = np.around(correct.item() * 100 / total, decimals=2)
            logging.info("task %d epoch %d loss %.3f acc %.2f", self.known // self.inc, epoch, losses / len(loader), acc)
        if self.known:
            self.network.weight_align(self.inc)

    def after_task(self, x, y):
        self.old_network = copy.deepcopy(self.network).freeze()
        for c in range(self.known, self.total):
            self.exemplars.append(self.herd(x[y == c]))
        self.known = self.total

    @torch.no_grad()
    def herd(self, xc: np.ndarray) -> np.ndarray:
        self.network.eval()
        feats = F.normalize(self.network.convnet(torch.from_numpy(xc).to(self.device)), dim=1).cpu().numpy()
        mean, chosen, acc = feats.mean(0), [], np.zeros(feats.shape[1])
        for k in range(1, self.mem + 1):
            d = np.linalg.norm(mean - (feats + acc) / k, axis=1)
            d[chosen] = np.inf
            chosen.append(int(d.argmin()))
            acc += feats[chosen[-1]]
        return xc[chosen]


if __name__ == "__main__":
    torch.manual_seed(1993)
    rng = np.random.default_rng(1993)
    learner = iCaRLLearner(torch.device("cuda:0" if torch.cuda.is_available() else "cpu"))
    means = rng.normal(size=(6, 16)).astype(np.float32)
    for task in range(2):
        y = np.repeat(np.arange(task * 3, task * 3 + 3), 12)
        x = (means[y] + 0.3 * rng.normal(size=(len(y), 16))).astype(np.float32)
        learner.incremental_train(x, y)
        learner.after_task(x, y)
