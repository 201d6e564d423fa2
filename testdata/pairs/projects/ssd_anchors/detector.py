import torch
import torch.nn as nn
import torch.nn.functional as F

from config import SCALES


class TinySSD(nn.Module):
    def __init__(self, num_classes):
        super(TinySSD, self).__init__()
        self.num_classes = num_classes
        self.backbone = nn.Sequential(
            nn.Conv2d(1, 8, 3, stride=2, padding=1), nn.ReLU(True),
            nn.Conv2d(8, 16, 3, stride=2, padding=1), nn.ReLU(True))
        self.loc = nn.ModuleList([nn.Conv2d(16, 4, 3, padding=1) for _ in SCALES])
        self.conf = nn.ModuleList([nn.Conv2d(16, num_classes, 3, padding=1) for _ in SCALES])

    def forward(self, x):
        f = self.backbone(x)
        loc = torch.cat([l(f).permute(0, 2, 3, 1).flatten(1, 2) for l in self.loc], 1)
        conf = torch.cat([c(f).permute(0, 2, 3, 1).flatten(1, 2) for c in self.conf], 1)
        return loc, conf


class MultiBoxLoss(nn.Module):
    def __init__(self, neg_pos_ratio):
        super(MultiBoxLoss, self).__init__()
        self.ratio = neg_pos_ratio

    def forward(self, loc, conf, loc_t, conf_t):
        pos = conf_t > 0
        n = pos.sum().clamp(min=1)
        loss_l = F.smooth_l1_loss(loc[pos], loc_t[pos], reduction='sum')
        ce = F.cross_entropy(conf.transpose(1, 2), conf_t, reduction='none')
        rank = ce.detach().masked_fill(pos, 0).argsort(1, descending=True).argsort(1)
        neg = rank < self.ratio * pos.sum(1, keepdim=True)
        return loss_l / n, ce[pos | neg].sum() / n
