# -*- coding: utf-8 -*-

# Copyright 2019 The authors
#  MIT License (https://opensource.org/licenses/MIT)

"""STFT-based Loss modules."""

import logging

import numpy as np
import torch
import torch.nn.functional as F


def stft(x, fft_size, hop_size, win_length, window):
    """Perform STFT and convert to magnitude spectrogram.

    Args:
        x (Tensor): Input signal tensor (B, T).
        fft_size (int): FFT size.
        hop_size (int): Hop size.
        win_length (int): Window length.
        window (Tensor): Window.

    Returns:
        Tensor: Magnitude spectrogram (B, #frames, fft_size // 2 + 1).

    """
    x_stft = torch.stft(x, fft_size, hop_size, win_length, window, return_complex=True)
    real = x_stft.real
    imag = x_stft.imag

    # NOTE: clamp is needed to avoid nan or inf
    return torch.sqrt(torch.clamp(real ** 2 + imag ** 2, min=1e-7)).transpose(2, 1)


def db_to_amplitude(db):
    """Convert decibel to amplitude."""
    return float(np.power(10.0, db / 20.0))


class SpectralConvergenceLoss(torch.nn.Module):
    """Spectral convergence loss module."""

    def forward(self, x_mag, y_mag):
        return torch.norm(y_mag - x_mag, p="fro") / torch.norm(y_mag, p="fro")


class LogSTFTMagnitudeLoss(torch.nn.Module):
    """Log STFT magnitude loss module."""

    def __init__(self, floor_db=-100.0):
        super(LogSTFTMagnitudeLoss, self).__init__()
        self.floor = torch.tensor(db_to_amplitude(floor_db))

    def forward(self, x_mag, y_mag):
        x_log = torch.log(torch.max(x_mag, self.floor.to(x_mag.device)))
        y_log = torch.log(torch.max(y_mag, self.floor.to(y_mag.device)))
        return F.l1_loss(x_log, y_log)


class STFTLoss(torch.nn.Module):
    """STFT loss module."""

    def __init__(self, fft_size=1024, shift_size=120, win_length=600, window="hann_window"):
        """Initialize STFT loss module."""
        super(STFTLoss, self).__init__()
        self.fft_size = fft_size
        self.shift_size = shift_size
        self.win_length = win_length
        self.register_buffer("window", getattr(torch, window)(win_length))
        self.spectral_convergence_loss = SpectralConvergenceLoss()
        self.log_stft_magnitude_loss = LogSTFTMagnitudeLoss()

    def forward(self, x, y):
        """Calculate forward propagation.

        Args:
            x (Tensor): Predicted signal (B, T).
            y (Tensor): Groundtruth signal (B, T).

        Returns:
            Tensor: Spectral convergence loss value.
            Tensor: Log STFT magnitude loss value.

        """
        x_mag = stft(x, self.fft_size, self.shift_size, self.win_length, self.window)
        y_mag = stft(y, self.fft_size, self.shift_size, self.win_length, self.window)
        sc_loss = self.spectral_convergence_loss(x_mag, y_mag)
        mag_loss = self.log_stft_magnitude_loss(x_mag, y_mag)

        return sc_loss, mag_loss


class PreEmphasis(torch.nn.Module):
    """First order high-pass FIR filter."""

    def __init__(self, coef=0.97):
        super(PreEmphasis, self).__init__()
        self.register_buffer("kernel", torch.FloatTensor([-coef, 1.0]).view(1, 1, 2))

    def forward(self, x):
        return F.conv1d(F.pad(x.unsqueeze(1), (1, 0), mode="reflect"), self.kernel).squeeze(1)


class MultiResolutionSTFTLoss(torch.nn.Module):
    """Multi resolution STFT loss module."""

    def __init__(
        self,
        fft_sizes=[1024, 2048, 512],
        hop_sizes=[120, 240, 50],
        win_lengths=[600, 1200, 240],
        window="hann_window",
        pre_emphasis=None,
    ):
        """Initialize Multi resolution STFT loss module.

        Args:
            fft_sizes (list): List of FFT sizes.
            hop_sizes (list): List of hop sizes.
            win_lengths (list): List of window lengths.
            window (str): Window function type.
            pre_emphasis (float): Coefficient of the pre-emphasis filter.

        """
        super(MultiResolutionSTFTLoss, self).__init__()
        assert len(fft_sizes) == len(hop_sizes) == len(win_lengths)
        if not hasattr(torch, window):
            logging.warning("%s is not a window of torch, using hann_window." % window)
            window = "hann_window"
        self.pre_emphasis = None if pre_emphasis is None else PreEmphasis(pre_emphasis)
        self.stft_losses = torch.nn.ModuleList()
        for fs, ss, wl in zip(fft_sizes, hop_sizes, win_lengths):
            self.stft_losses += [STFTLoss(fs, ss, wl, window)]

    def forward(self, x, y):
        if x.dim() == 3:
            x, y = x.flatten(0, 1), y.flatten(0, 1)  # (B, C, T) -> (B x C, T)
        if self.pre_emphasis is not None:
            x, y = self.pre_emphasis(x), self.pre_emphasis(y)
        sc_loss = 0.0
        mag_loss = 0.0
        for f in self.stft_losses:
            sc_l, mag_l = f(x, y)
            sc_loss += sc_l
            mag_loss += mag_l
        sc_loss /= len(self.stft_losses)
        mag_loss /= len(self.stft_losses)

        return sc_loss, mag_loss
