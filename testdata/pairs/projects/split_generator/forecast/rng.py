import hashlib

import torch


class RngBank:
    """Named, independent random streams, so that adding one does not shift the others."""

    def __init__(self, seed, device):
        self.seed = seed
        self.device = device
        self._streams = {}

    def __getitem__(self, name):
        if name not in self._streams:
            digest = hashlib.sha1(f"{self.seed}/{name}".encode()).digest()
            gen = torch.Generator(device=self.device)
            gen.manual_seed(int.from_bytes(digest[:4], "little"))
            self._streams[name] = gen
        return self._streams[name]
