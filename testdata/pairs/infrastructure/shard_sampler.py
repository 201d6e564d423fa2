"""Batch samplers for sharded training."""
import math
from dataclasses import dataclass, field
from typing import Iterator, List, Optional, Sequence

import torch
from torch.utils.data import Sampler


@dataclass
class ShardConfig:
    rank: int = 0
    world_size: int = 1
    seed: int = 0
    drop_last: bool = False
    device: Optional[torch.device] = None
    bucket_boundaries: List[int] = field(default_factory=lambda: [16, 32, 64, 128])

    def __post_init__(self):
        if not 0 <= self.rank < self.world_size:
            raise ValueError(f"rank {self.rank} is out of range for world size {self.world_size}")
        if self.device is not None:
            self.device = torch.device(self.device)


class EpochMixin:
    """Adds the epoch counter that makes shuffling differ between epochs."""

    epoch: int = 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = int(epoch)


class ShardSampler(EpochMixin, Sampler):
    """Every rank sees its own part of the shuffled indices."""

    def __init__(self, data_source, config: ShardConfig, shuffle: bool = True):
        self.data_source = data_source
        self.config = config
        self.shuffle = shuffle
        n = len(data_source)
        if config.drop_last:
            self.num_samples = n // config.world_size
        else:
            self.num_samples = math.ceil(n / config.world_size)
        self.total_size = self.num_samples * config.world_size
        self.generator = self._make_generator()

    def _make_generator(self) -> torch.Generator:
        return torch.Generator()

    def _permutation(self, n: int) -> List[int]:
        self.generator.manual_seed(self.config.seed + self.epoch)
        return torch.randperm(n, generator=self.generator).tolist()

    def __iter__(self) -> Iterator[int]:
        n = len(self.data_source)
        indices = self._permutation(n) if self.shuffle else list(range(n))
        if self.config.drop_last:
            indices = indices[: self.total_size]
        else:
            indices += indices[: self.total_size - len(indices)]
        return iter(indices[self.config.rank : self.total_size : self.config.world_size])

    def __len__(self) -> int:
        return self.num_samples


class LengthBucketSampler(ShardSampler):
    """Batches of examples of similar length."""

    def __init__(self, lengths: Sequence[int], config: ShardConfig, batch_size: int = 8, shuffle: bool = True):
        super().__init__(lengths, config, shuffle=shuffle)
        if batch_size < 1:
            raise ValueError("batch_size must be at least 1")
        self.batch_size = batch_size
        bounds = torch.tensor(sorted(config.bucket_boundaries))
        self.buckets = torch.bucketize(torch.as_tensor(list(lengths)), bounds).tolist()

    def __iter__(self):
        groups = {}
        for i in super().__iter__():
            group = groups.setdefault(self.buckets[i], [])
            group.append(i)
            if len(group) == self.batch_size:
                yield groups.pop(self.buckets[i])
        if not self.config.drop_last:
            yield from groups.values()

    def __len__(self):
        return math.ceil(self.num_samples / self.batch_size)


class DeviceCollator:
    """Pads sequences and places the batch on the device of the shard."""

    def __init__(self, config: ShardConfig, pad_value: int = 0):
        self.config = config
        self.pad_value = pad_value

    def __call__(self, samples):
        lengths = torch.tensor([len(s) for s in samples])
        batch = torch.full((len(samples), int(lengths.max())), self.pad_value, dtype=torch.long)
        for row, sample in zip(batch, samples):
            row[: len(sample)] = torch.as_tensor(sample)
        mask = torch.arange(batch.size(1))[None, :] < lengths[:, None]
        out = {"input_ids": batch, "mask": mask, "lengths": lengths}
        if self.config.device is not None:
            out = {k: v.to(self.config.device) if k != "lengths" else v for k, v in out.items()}
        return out
