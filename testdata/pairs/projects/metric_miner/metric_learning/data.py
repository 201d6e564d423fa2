import torch
from torch.utils.data import Dataset, Sampler


class Speakers(Dataset):
    def __init__(self, num_speakers, per_speaker, dim=12):
        self.labels = torch.arange(num_speakers).repeat_interleave(per_speaker)
        centers = torch.randn(num_speakers, dim)
        self.x = centers[self.labels] + 0.7 * torch.randn(len(self.labels), dim)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return self.x[i], self.labels[i]


class MPerClassSampler(Sampler):
    def __init__(self, labels, m, batch_size):
        self.groups = [torch.nonzero(labels == c).flatten() for c in labels.unique()]
        self.m = m
        self.classes_per_batch = batch_size // m
        self.length = len(labels) // batch_size * batch_size

    def __len__(self):
        return self.length

    def __iter__(self):
        for _ in range(self.length // (self.m * self.classes_per_batch)):
            for c in torch.randperm(len(self.groups))[: self.classes_per_batch].tolist():
                g = self.groups[c]
                yield from g[torch.randperm(len(g))[: self.m]].tolist()
