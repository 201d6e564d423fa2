import torch.nn as nn
import torch.nn.functional as F


def kd_loss(student_logits, teacher_logits, T):
    p = F.log_softmax(student_logits / T, dim=1)
    q = F.softmax(teacher_logits / T, dim=1)
    return F.kl_div(p, q, reduction="batchmean") * T * T


class HintLoss(nn.Module):
    """FitNets regression of teacher maps from student maps."""

    def __init__(self, student_dims, teacher_dims):
        super().__init__()
        self.regressors = nn.ModuleDict(
            {k: nn.Conv2d(student_dims[k], teacher_dims[k], 1) for k in student_dims}
        )

    def forward(self, student_feats, teacher_feats):
        loss = 0.0
        for name, reg in self.regressors.items():
            loss = loss + F.mse_loss(reg(student_feats[name]), teacher_feats[name])
        return loss / len(self.regressors)
