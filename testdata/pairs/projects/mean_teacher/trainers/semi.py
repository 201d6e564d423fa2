import torch
import torch.nn.functional as F

from nets import create_model

from .base import SupervisedTrainer


class FixMatchTrainer(SupervisedTrainer):
    """Pseudo labels come from a slow copy of the model."""

    def __init__(self, opt):
        super(FixMatchTrainer, self).__init__(opt)
        self.teacher = create_model(opt)
        if opt.use_gpu:
            self.teacher = self.teacher.cuda()
        self.teacher.load_state_dict(self.model.state_dict())
        for p in self.teacher.parameters():
            p.requires_grad_(False)
        self.teacher.train()

    def unsupervised_loss(self, weak, strong):
        weak, strong = self.put(weak, strong)
        with torch.no_grad():
            conf, pseudo = self.teacher(weak).softmax(1).max(1)
        mask = (conf >= self.opt.threshold).float()
        return (F.cross_entropy(self.model(strong), pseudo, reduction="none") * mask).mean()

    @torch.no_grad()
    def after_step(self):
        for pt, p in zip(self.teacher.parameters(), self.model.parameters()):
            pt.mul_(self.opt.ema).add_(p, alpha=1 - self.opt.ema)
