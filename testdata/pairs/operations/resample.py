"""Resampling and filtering of waveforms."""
import math
from fractions import Fraction
from typing import List, Optional, Tuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

__all__ = ["resample", "Resample", "lowpass", "fir_filter", "speed_perturb", "resampled_length"]

_WINDOWS = {
    "hann": lambda t: np.cos(t * np.pi / 2) ** 2,
    "blackman": lambda t: 0.42 + 0.5 * np.cos(np.pi * t) + 0.08 * np.cos(2 * np.pi * t),
}


def _reduce_rates(orig_freq: int, new_freq: int) -> Tuple[int, int]:
    if not (orig_freq > 0 and new_freq > 0):
        raise ValueError("Frequencies have to be positive")
    gcd = math.gcd(int(orig_freq), int(new_freq))
    return int(orig_freq) // gcd, int(new_freq) // gcd


def resampled_length(length: int, orig_freq: int, new_freq: int) -> int:
    orig, new = _reduce_rates(orig_freq, new_freq)
    return int(math.ceil(new * length / orig))


def _kaiser(t: np.ndarray, beta: float) -> np.ndarray:
    return np.i0(beta * np.sqrt(np.clip(1 - t ** 2, 0, None))) / np.i0(beta)


def _sinc_kernel(orig: int, new: int, width: int = 6, rolloff: float = 0.99, window: str = "hann",
                 beta: Optional[float] = None) -> Tuple[np.ndarray, int]:
    """Windowed sinc filters, one for each of the ``new`` phases, in double precision."""
    base = min(orig, new) * rolloff
    half = int(math.ceil(width * orig / base))
    idx = np.arange(-half, half + orig)[None, :] / orig
    t = (-np.arange(new)[:, None] / new + idx) * base
    t = np.clip(t, -width, width)
    w = _kaiser(t / width, beta or 14.77) if window == "kaiser" else _WINDOWS[window](t / width)
    return np.sinc(t) * w * base / orig, half


def _apply_kernel(waveform: Tensor, kernel: Tensor, half: int, orig: int, new: int) -> Tensor:
    shape = waveform.shape
    waveform = waveform.reshape(-1, shape[-1])
    padded = F.pad(waveform, (half, half + orig))
    out = F.conv1d(padded[:, None], kernel, stride=orig)
    out = out.transpose(1, 2).reshape(len(waveform), -1)
    out = out[..., : int(math.ceil(new * shape[-1] / orig))]
    return out.view(shape[:-1] + out.shape[-1:])


def resample(waveform: Tensor, orig_freq: int, new_freq: int, lowpass_filter_width: int = 6, rolloff: float = 0.99,
             window: str = "hann", beta: Optional[float] = None) -> Tensor:
    """Bandlimited resampling of ``(..., time)``."""
    if not waveform.is_floating_point():
        raise TypeError(f"Expected floating point type for waveform tensor, but received {waveform.dtype}.")
    orig, new = _reduce_rates(orig_freq, new_freq)
    if orig == new:
        return waveform
    kernel, half = _sinc_kernel(orig, new, lowpass_filter_width, rolloff, window, beta)
    kernel = torch.from_numpy(kernel).unsqueeze(1).to(waveform)
    return _apply_kernel(waveform, kernel, half, orig, new)


class Resample(torch.nn.Module):
    """The same with a kernel that is computed once, for given rates."""

    def __init__(self, orig_freq: int = 16000, new_freq: int = 16000, **kwargs) -> None:
        super().__init__()
        self.orig, self.new = _reduce_rates(orig_freq, new_freq)
        if self.orig != self.new:
            kernel, self.half = _sinc_kernel(self.orig, self.new, **kwargs)
            self.register_buffer("kernel", torch.from_numpy(kernel).float().unsqueeze(1), persistent=False)

    def forward(self, waveform: Tensor) -> Tensor:
        if self.orig == self.new:
            return waveform
        return _apply_kernel(waveform, self.kernel, self.half, self.orig, self.new)


def fir_filter(waveform: Tensor, taps: Tensor) -> Tensor:
    """Zero-phase convolution with the filter ``taps`` (odd length)."""
    if taps.ndim != 1 or taps.numel() % 2 == 0:
        raise ValueError("taps has to be 1D with an odd number of elements")
    flat = waveform.reshape(-1, 1, waveform.shape[-1])
    out = F.conv1d(F.pad(flat, [taps.numel() // 2] * 2, mode="reflect"), taps.flip(0).view(1, 1, -1))
    return out.view(waveform.shape)


def lowpass(waveform: Tensor, cutoff: float, sample_rate: int, num_taps: int = 101) -> Tensor:
    n = np.arange(num_taps) - (num_taps - 1) / 2
    taps = np.sinc(2 * cutoff / sample_rate * n) * np.hamming(num_taps)
    taps = waveform.new_tensor((taps / taps.sum()).tolist())
    return fir_filter(waveform, taps)


def speed_perturb(waveform: Tensor, lengths: Tensor, factors: List[float], max_denominator: int = 20,
                  generator: Optional[torch.Generator] = None) -> Tuple[Tensor, Tensor]:
    """Play the batch faster or slower by one of ``factors``; returns it with the new lengths."""
    choice = int(torch.randint(len(factors), (), generator=generator))
    ratio = Fraction(factors[choice]).limit_denominator(max_denominator)
    if ratio == 1:
        return waveform, lengths
    out = resample(waveform, ratio.numerator, ratio.denominator)
    new_lengths = torch.div(lengths * ratio.denominator, ratio.numerator, rounding_mode="floor")
    return out, new_lengths.clamp(max=out.shape[-1])
