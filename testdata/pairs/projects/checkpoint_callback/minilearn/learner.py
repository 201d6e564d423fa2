import torch


def default_device():
    return torch.device("cuda", torch.cuda.current_device()) if torch.cuda.is_available() else torch.device("cpu")


def to(x, device):
    if isinstance(x, (tuple, list)):
        return [to(o, device) for o in x]
    return x.to(device)


class Learner:
    def __init__(self, model, loaders, loss_fn, callbacks=(), device=None):
        self.device = device or default_device()
        self.model = model.to(self.device)
        self.loaders, self.loss_fn = loaders, loss_fn
        self.callbacks = sorted(callbacks, key=lambda c: c.order)
        self.stop = False

    def notify(self, event):
        for cb in self.callbacks:
            getattr(cb, event)(self)

    def step(self, xb, yb):
        loss = self.loss_fn(self.model(*xb), yb)
        loss.backward()
        self.opt.step()
        self.sched.step()
        self.opt.zero_grad()
        return loss.detach()

    def fit(self, epochs, lr):
        n = epochs * len(self.loaders["train"])
        self.opt = torch.optim.Adam(self.model.parameters(), lr=lr)
        self.sched = torch.optim.lr_scheduler.OneCycleLR(self.opt, max_lr=lr, total_steps=n)
        self.notify("before_fit")
        for self.epoch in range(epochs):
            self.train_loss = self.train_epoch()
            self.valid_loss = self.validate()
            self.notify("after_epoch")
            if self.stop:
                break
        self.notify("after_fit")

    def train_epoch(self):
        self.model.train()
        losses = []
        for xb, yb in self.loaders["train"]:
            xb, yb = to(xb, self.device), to(yb, self.device)
            losses.append(self.step(xb, yb))
            self.notify("after_step")
        return torch.stack(losses).mean().item()

    @torch.no_grad()
    def validate(self):
        self.model.eval()
        total, count = 0.0, 0
        for xb, yb in self.loaders["valid"]:
            pred = self.model(*to(xb, self.device)).cpu()
            total += self.loss_fn(pred, yb).item() * len(yb)
            count += len(yb)
        return total / count
