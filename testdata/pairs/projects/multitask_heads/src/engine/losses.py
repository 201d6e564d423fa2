import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiTaskLoss(nn.Module):
    """Homoscedastic uncertainty weighting (Kendall et al.)."""

    FUNCS = {
        "binary": F.binary_cross_entropy_with_logits,
        "multilabel": F.binary_cross_entropy_with_logits,
        "regression": F.mse_loss,
    }

    def __init__(self, tasks):
        super().__init__()
        self.kinds = {name: spec["type"] for name, spec in tasks.items()}
        self.log_vars = nn.ParameterDict({name: nn.Parameter(torch.zeros(())) for name in tasks})

    def forward(self, outputs, targets):
        parts = {k: self.FUNCS[self.kinds[k]](outputs[k], targets[k]) for k in outputs}
        total = sum(torch.exp(-self.log_vars[k]) * v + self.log_vars[k] for k, v in parts.items())
        return total, {k: v.item() for k, v in parts.items()}
