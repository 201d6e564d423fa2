import torch
import torch.nn as nn


def effective_number_weights(samples_per_class, beta):
    n = torch.tensor(samples_per_class, dtype=torch.float32)
    w = (1.0 - beta) / (1.0 - torch.pow(beta, n))
    return w / w.sum() * len(samples_per_class)


class ReweightedLoss(nn.Module):
    """Holds the class statistics that re-weighting losses need."""

    def __init__(self, samples_per_class, beta=0.999, **kwargs):
        super().__init__()
        prior = torch.tensor(samples_per_class, dtype=torch.float32)
        self.register_buffer("log_prior", (prior / prior.sum()).log())
        self.register_buffer("class_weight", effective_number_weights(samples_per_class, beta))
        self.num_classes = len(samples_per_class)

    def extra_repr(self):
        return "weights=" + ", ".join(f"{w:.2f}" for w in self.class_weight.tolist())
