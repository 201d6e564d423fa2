import torch
import torch.nn.functional as F


class Trainer:
    def __init__(self, model, cfg, evaluators):
        self.model, self.cfg, self.evaluators = model, cfg, evaluators
        self.opt = torch.optim.Adam(model.parameters(), lr=cfg.lr)

    def _encode(self, batch):
        dev = self.model.device
        return self.model(batch["query"].to(dev), batch["doc"].to(dev))

    def train_epoch(self, loader):
        self.model.train()
        losses = []
        for batch in loader:
            q, d = self._encode(batch)
            logits = q @ d.t() / self.cfg.temperature
            labels = torch.arange(logits.size(0), device=logits.device)
            loss = 0.5 * (F.cross_entropy(logits, labels) + F.cross_entropy(logits.t(), labels))
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            losses.append(loss.item())
        return sum(losses) / len(losses)

    @torch.no_grad()
    def validate(self, loader):
        self.model.eval()
        for ev in self.evaluators:
            ev.reset()
        for batch in loader:
            q, d = self._encode(batch)
            for ev in self.evaluators:
                ev.update(q, d)
        metrics = {}
        for ev in self.evaluators:
            metrics.update(ev.compute())
        return metrics
