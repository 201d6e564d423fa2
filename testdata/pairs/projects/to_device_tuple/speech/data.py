import random

import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset

BLANK = 0


class ToneDataset(Dataset):
    """Each token is a short tone in its own filterbank channel."""

    def __init__(self, n, n_mels, seed):
        rng = random.Random(seed)
        self.n_mels = n_mels
        self.seqs = [[rng.randint(1, n_mels - 1) for _ in range(rng.randint(2, 5))] for _ in range(n)]

    def __len__(self):
        return len(self.seqs)

    def __getitem__(self, i):
        tokens = torch.tensor(self.seqs[i])
        frames = torch.nn.functional.one_hot(tokens, self.n_mels).float().repeat_interleave(4, dim=0)
        return frames + 0.1 * torch.randn_like(frames), tokens, f"utt{i:04d}"


def collate(batch):
    frames, tokens, utt = zip(*batch)
    frame_len = torch.tensor([f.size(0) for f in frames])
    token_len = torch.tensor([t.numel() for t in tokens])
    return {
        "utt": list(utt),
        "inputs": pad_sequence(frames, batch_first=True),
        "input_lengths": frame_len,
        "targets": (pad_sequence(tokens, batch_first=True, padding_value=BLANK), token_len),
    }


def build_loader(n, n_mels, batch_size, seed, train):
    return DataLoader(ToneDataset(n, n_mels, seed), batch_size, shuffle=train, collate_fn=collate)
