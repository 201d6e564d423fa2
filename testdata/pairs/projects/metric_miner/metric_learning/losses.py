import torch.nn as nn
import torch.nn.functional as F


class TripletLoss(nn.Module):
    def __init__(self, margin):
        super().__init__()
        self.margin = margin

    def forward(self, dist, pairs):
        pos_idx, neg_idx = pairs
        d_ap = dist.gather(1, pos_idx.unsqueeze(1)).squeeze(1)
        d_an = dist.gather(1, neg_idx.unsqueeze(1)).squeeze(1)
        hinge = F.relu(d_ap - d_an + self.margin)
        active = hinge > 0
        return hinge.sum() / active.sum().clamp(min=1), active.float().mean()
