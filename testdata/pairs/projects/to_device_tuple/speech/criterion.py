import torch.nn as nn

from speech.data import BLANK


class SmoothedCTC(nn.Module):
    def __init__(self, smoothing=0.05):
        super().__init__()
        self.smoothing = smoothing
        self.ctc = nn.CTCLoss(blank=BLANK, reduction="none", zero_infinity=True)

    def forward(self, log_probs, out_lengths, targets):
        labels, label_lengths = targets
        feasible = out_lengths >= label_lengths
        per_utt = self.ctc(log_probs.transpose(0, 1), labels, out_lengths, label_lengths)
        per_token = per_utt / label_lengths
        uniform = -log_probs.mean(dim=(1, 2))
        loss = (1 - self.smoothing) * per_token + self.smoothing * uniform
        return loss[feasible].mean()
