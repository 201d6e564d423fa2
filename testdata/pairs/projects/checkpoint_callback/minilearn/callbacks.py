import torch


class Callback:
    order = 0

    def before_fit(self, learner): pass
    def after_step(self, learner): pass
    def after_epoch(self, learner): pass
    def after_fit(self, learner): pass


class LRLogger(Callback):
    def before_fit(self, learner):
        self.lrs = []

    def after_step(self, learner):
        self.lrs.append(learner.opt.param_groups[0]["lr"])

    def after_epoch(self, learner):
        print(f"epoch {learner.epoch}: train {learner.train_loss:.4f} valid {learner.valid_loss:.4f} lr {self.lrs[-1]:.2e}")


class BestCheckpoint(Callback):
    order = 10

    def __init__(self, path):
        self.path = path
        self.best = float("inf")

    def after_epoch(self, learner):
        if learner.valid_loss < self.best:
            self.best = learner.valid_loss
            weights = {k: v.cpu() for k, v in learner.model.state_dict().items()}
            torch.save(
                {"model": weights, "epoch": learner.epoch, "score": self.best},
                self.path,
            )


class EarlyStopping(Callback):
    order = 20

    def __init__(self, patience):
        self.patience, self.wait, self.best = patience, 0, None

    def after_epoch(self, learner):
        if self.best is None or learner.valid_loss < self.best:
            self.best, self.wait = learner.valid_loss, 0
        else:
            self.wait += 1
            learner.stop = self.wait >= self.patience
