import torch
import torch.nn as nn

MODELS = {}


def model(name):
    def deco(cls):
        MODELS[name] = cls
        return cls
    return deco


class AcousticModel(nn.Module):
    stride = 1

    def output_lengths(self, lengths):
        return torch.div(lengths + self.stride - 1, self.stride, rounding_mode="floor")

    @torch.no_grad()
    def greedy(self, log_probs, lengths):
        hyps = []
        for path, n in zip(log_probs.argmax(-1), lengths):
            collapsed = torch.unique_consecutive(path[:n]).tolist()
            hyps.append([t for t in collapsed if t != 0])
        return hyps


@model("conv_ctc")
class ConvCTC(AcousticModel):
    stride = 2

    def __init__(self, n_mels, vocab, hidden=24):
        super().__init__()
        self.conv = nn.Conv1d(n_mels, hidden, 3, stride=2, padding=1)
        self.bn = nn.BatchNorm1d(hidden)
        self.out = nn.Linear(hidden, vocab)

    def forward(self, x, lengths):
        h = torch.relu(self.bn(self.conv(x.transpose(1, 2)))).transpose(1, 2)
        return self.out(h).log_softmax(-1), self.output_lengths(lengths)
