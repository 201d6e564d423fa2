import torch
import torch.nn.functional as F


class Runner:
    def __init__(self, model, conf, rngs):
        self.conf = conf
        self.device = torch.device(conf.device)
        self.model = model.to(self.device)
        self.noise_rng = rngs["noise"]
        self.opt = torch.optim.Adam(self.model.parameters(), lr=conf.lr)

    def _split(self, batch):
        batch = batch.to(self.device)
        return batch[:, : self.conf.context], batch[:, self.conf.context:]

    def _jitter(self, x):
        eps = torch.randn(x.shape, generator=self.noise_rng, device=x.device, dtype=x.dtype)
        return x + self.conf.jitter * eps

    def fit(self, dm):
        for ep in range(self.conf.epochs):
            self.model.train()
            for batch in dm.loader("train"):
                past, future = self._split(batch)
                loss = F.smooth_l1_loss(self.model(self._jitter(past)), future)
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
            print(f"[{ep}] val mae {self._mae(dm.loader('val')):.4f}")

    def _mae(self, loader):
        self.model.eval()
        errs = []
        with torch.no_grad():
            for batch in loader:
                past, future = self._split(batch)
                errs.append((self.model(past) - future).abs().mean(1).cpu())
        return torch.cat(errs).mean().item()

    def test(self, dm):
        return self._mae(dm.loader("test"))
