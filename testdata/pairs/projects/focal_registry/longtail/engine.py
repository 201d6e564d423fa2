import torch


class AverageMeter:
    def __init__(self):
        self.sum, self.count = 0.0, 0

    def update(self, value, n=1):
        self.sum += float(value) * n
        self.count += n

    @property
    def avg(self):
        return self.sum / max(self.count, 1)


class Trainer:
    def __init__(self, model, criterion, cfg, device):
        self.device = torch.device(device)
        self.model = model.to(self.device)
        self.criterion = criterion.to(self.device)
        self.cfg = cfg
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=cfg["lr"], momentum=cfg["momentum"])

    def fit(self, train_loader, val_loader):
        print(self.criterion)
        for epoch in range(self.cfg["epochs"]):
            loss = self.train_one_epoch(train_loader)
            per_class = self.evaluate(val_loader)
            print(f"epoch {epoch} loss {loss:.4f} per-class acc {[round(a, 2) for a in per_class]}")

    def train_one_epoch(self, loader):
        self.model.train()
        meter = AverageMeter()
        for images, target in loader:
            images = images.to(self.device, non_blocking=True)
            target = target.to(self.device, non_blocking=True)
            loss = self.criterion(self.model(images), target)
            self.optimizer.zero_grad(set_to_none=True)
            loss.backward()
            self.optimizer.step()
            meter.update(loss.detach(), len(target))
        return meter.avg

    @torch.no_grad()
    def evaluate(self, loader):
        self.model.eval()
        k = self.criterion.num_classes
        hits, total = torch.zeros(k), torch.zeros(k)
        for images, target in loader:
            pred = self.model(images.to(self.device)).argmax(1).cpu()
            total += torch.bincount(target, minlength=k)
            hits += torch.bincount(target[pred == target], minlength=k)
        return (hits / total.clamp(min=1)).tolist()
