"""Audio features on the fly: STFT, mel filter banks, normalisation and SpecAugment."""
import math
import random
from typing import Optional

import torch
import torch.nn as nn

CONSTANT = 1e-5


def hz_to_mel(freq: float) -> float:
    return 2595.0 * math.log10(1.0 + freq / 700.0)


def mel_to_hz(mels: torch.Tensor) -> torch.Tensor:
    return 700.0 * (10.0 ** (mels / 2595.0) - 1.0)


def melscale_fbanks(n_freqs: int, f_min: float, f_max: float, n_mels: int, sample_rate: int) -> torch.Tensor:
    """Triangular filters of shape (n_mels, n_freqs), with Slaney normalisation."""
    all_freqs = torch.linspace(0, sample_rate // 2, n_freqs)
    f_pts = mel_to_hz(torch.linspace(hz_to_mel(f_min), hz_to_mel(f_max), n_mels + 2))
    f_diff = f_pts[1:] - f_pts[:-1]
    slopes = f_pts.unsqueeze(0) - all_freqs.unsqueeze(1)
    down = -slopes[:, :-2] / f_diff[:-1]
    up = slopes[:, 2:] / f_diff[1:]
    fb = torch.clamp(torch.min(down, up), min=0.0)
    enorm = 2.0 / (f_pts[2: n_mels + 2] - f_pts[:n_mels])
    return (fb * enorm.unsqueeze(0)).t().contiguous()


def normalize_batch(x: torch.Tensor, seq_len: torch.Tensor, normalize_type: Optional[str]):
    """Normalise (B, D, T) features over the valid frames of each utterance."""
    if normalize_type == "per_feature":
        time = torch.arange(x.shape[2], device=x.device).unsqueeze(0)
        valid = (time < seq_len.unsqueeze(1)).unsqueeze(1)
        count = valid.sum(2).clamp(min=2)
        mean = torch.where(valid, x, 0.0).sum(2) / count
        var = torch.where(valid, (x - mean.unsqueeze(2)) ** 2, 0.0).sum(2) / (count - 1)
        return (x - mean.unsqueeze(2)) / (var.sqrt().unsqueeze(2) + CONSTANT)
    if normalize_type == "all_features":
        mean = torch.stack([x[i, :, :n].mean() for i, n in enumerate(seq_len.tolist())])
        std = torch.stack([x[i, :, :n].std() for i, n in enumerate(seq_len.tolist())])
        return (x - mean.view(-1, 1, 1)) / (std.view(-1, 1, 1) + CONSTANT)
    if normalize_type is None:
        return x
    raise ValueError(f"unknown normalize_type {normalize_type!r}")


class FilterbankFeatures(nn.Module):
    """Featurizer that converts wavs to (log) mel spectrograms."""

    torch_windows = {
        "hann": torch.hann_window,
        "hamming": torch.hamming_window,
        "blackman": torch.blackman_window,
        "none": None,
    }

    def __init__(self, sample_rate=16000, n_window_size=320, n_window_stride=160, window="hann", normalize="per_feature",
                 n_fft=None, preemph=0.97, nfilt=64, lowfreq=0, highfreq=None, log=True, pad_to=16, mag_power=2.0):
        super().__init__()
        if n_window_size <= 0 or n_window_stride <= 0:
            raise ValueError("window size and stride have to be positive")
        if window not in self.torch_windows:
            raise ValueError(f"window must be one of {list(self.torch_windows)}")
        self.win_length = n_window_size
        self.hop_length = n_window_stride
        self.n_fft = n_fft or 2 ** math.ceil(math.log2(self.win_length))
        self.normalize, self.preemph, self.log = normalize, preemph, log
        self.pad_to, self.mag_power = pad_to, mag_power
        self.window_fn = self.torch_windows[window]
        highfreq = highfreq or sample_rate / 2
        fb = melscale_fbanks(self.n_fft // 2 + 1, lowfreq, highfreq, nfilt, sample_rate)
        self.register_buffer("fb", fb.unsqueeze(0))

    def get_seq_len(self, seq_len: torch.Tensor) -> torch.Tensor:
        return torch.div(seq_len, self.hop_length, rounding_mode="floor").add(1).long()

    def stft(self, x: torch.Tensor) -> torch.Tensor:
        window = None
        if self.window_fn is not None:
            window = self.window_fn(self.win_length, periodic=False, dtype=x.dtype, device=x.device)
        return torch.stft(x, self.n_fft, self.hop_length, self.win_length, center=True,
                          window=window, pad_mode="constant", return_complex=True)

    @torch.no_grad()
    def forward(self, x: torch.Tensor, seq_len: torch.Tensor):
        feat_len = self.get_seq_len(seq_len)
        if self.preemph is not None:
            x = torch.cat((x[:, :1], x[:, 1:] - self.preemph * x[:, :-1]), dim=1)
        x = self.stft(x.float()).abs()
        if self.mag_power != 1.0:
            x = x.pow(self.mag_power)
        x = torch.matmul(self.fb.to(x.dtype), x)
        if self.log:
            x = torch.log(x + 2**-24)
        x = normalize_batch(x, feat_len, self.normalize)
        mask = torch.arange(x.size(-1), device=x.device).expand(x.size(0), -1) >= feat_len.unsqueeze(1)
        x = x.masked_fill(mask.unsqueeze(1), 0.0)
        if self.pad_to > 0:
            x = nn.functional.pad(x, (0, -x.size(-1) % self.pad_to))
        return x, feat_len


class SpecAugment(nn.Module):
    """Zeroes random bands of frequency and time."""

    def __init__(self, freq_masks=2, time_masks=2, freq_width=10, time_width=0.1, rng=None):
        super().__init__()
        self.freq_masks, self.time_masks = freq_masks, time_masks
        self.freq_width, self.time_width = freq_width, time_width
        self._rng = random.Random() if rng is None else rng

    def forward(self, x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        mask = torch.zeros(x.shape, dtype=torch.bool)
        for i, n in enumerate(lengths.tolist()):
            for _ in range(self.freq_masks):
                start = self._rng.randint(0, max(x.size(1) - self.freq_width, 0))
                mask[i, start: start + self._rng.randint(0, self.freq_width)] = True
            for _ in range(self.time_masks):
                width = max(int(n * self.time_width), 1)
                start = self._rng.randint(0, max(n - width, 0))
                mask[i, :, start: start + width] = True
        return x.masked_fill(mask.to(x.device), 0.0)
