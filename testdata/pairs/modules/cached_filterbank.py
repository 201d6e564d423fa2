import argparse
from functools import cached_property

import numpy as np
import torch
import torch.nn as nn


def hz_to_mel(f):
    return 2595.0 * np.log10(1.0 + f / 700.0)


def mel_to_hz(m):
    return 700.0 * (10.0 ** (m / 2595.0) - 1.0)


class LogMel(nn.Module):
    def __init__(self, sample_rate=8000, n_fft=128, hop=64, n_mels=20, fmin=20.0):
        super().__init__()
        self.sample_rate, self.n_fft, self.hop = sample_rate, n_fft, hop
        self.n_mels, self.fmin = n_mels, fmin
        self.register_buffer("window", torch.hann_window(n_fft), persistent=False)
        self.log_offset = torch.tensor(1e-6)

    @property
    def fmax(self):
        return self.sample_rate / 2

    @cached_property
    def filterbank(self):
        edges = mel_to_hz(np.linspace(hz_to_mel(self.fmin), hz_to_mel(self.fmax), self.n_mels + 2))
        freqs = np.linspace(0, self.fmax, self.n_fft // 2 + 1)
        up = (freqs[None] - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
        down = (edges[2:, None] - freqs[None]) / (edges[2:] - edges[1:-1])[:, None]
        fb = np.maximum(0.0, np.minimum(up, down))
        return torch.as_tensor(fb, dtype=self.window.dtype, device=self.window.device)

    def check(self):
        empty = (self.filterbank.sum(1) == 0).sum().item()
        if empty:
            print(f"warning: {empty} of {self.n_mels} mel bands are empty, consider a larger n_fft")

    def forward(self, wav):
        spec = torch.stft(
            wav, self.n_fft, self.hop, window=self.window, center=True, return_complex=True
        ).abs().pow(2)
        mel = torch.matmul(self.filterbank.to(spec.device), spec)
        return torch.log(mel + self.log_offset)


class KeywordSpotter(nn.Module):
    def __init__(self, frontend: LogMel, n_classes: int, width: int = 24):
        super().__init__()
        self.frontend = frontend
        self.frontend.check()
        self.bn = nn.BatchNorm1d(frontend.n_mels)
        self.conv = nn.Sequential(
            nn.Conv1d(frontend.n_mels, width, 5, padding=2), nn.ReLU(), nn.MaxPool1d(2),
            nn.Conv1d(width, width, 3, padding=1), nn.ReLU(),
        )
        self.rnn = nn.GRU(width, width, batch_first=True, bidirectional=True)
        self.fc = nn.Linear(2 * width, n_classes)

    def forward(self, wav):
        x = self.conv(self.bn(self.frontend(wav)))
        out, _ = self.rnn(x.transpose(1, 2))
        return self.fc(out.mean(dim=1))


def synth(n, n_classes, length=2000, sr=8000, rng=np.random.default_rng(0)):
    y = rng.integers(0, n_classes, size=n)
    t = np.arange(length) / sr
    f = 300.0 * (y + 1)
    x = np.sin(2 * np.pi * f[:, None] * t[None]) + 0.1 * rng.standard_normal((n, length))
    return torch.from_numpy(x.astype("float32")), torch.from_numpy(y)


def evaluate(model, wav, labels, device):
    model.eval()
    with torch.no_grad():
        pred = model(wav.to(device)).argmax(1).cpu().numpy()
    conf = np.zeros((4, 4), dtype=int)
    np.add.at(conf, (labels.numpy(), pred), 1)
    return conf


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--no-cuda", action="store_true")
    ap.add_argument("--epochs", type=int, default=2)
    args = ap.parse_args()
    device = "cuda" if torch.cuda.is_available() and not args.no_cuda else "cpu"

    torch.manual_seed(0)
    model = KeywordSpotter(LogMel(), n_classes=4).to(device)
    print("parameters:", sum(p.numel() for p in model.parameters()))
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    sched = torch.optim.lr_scheduler.StepLR(opt, step_size=1, gamma=0.7)
    wav, labels = synth(48, 4)
    for epoch in range(args.epochs):
        model.train()
        for idx in torch.randperm(len(wav)).split(16):
            logits = model(wav[idx].to(device))
            loss = nn.functional.cross_entropy(logits, labels[idx].to(device))
            opt.zero_grad()
            loss.backward()
            opt.step()
        sched.step()
        print(f"epoch {epoch} loss {loss.item():.3f} lr {sched.get_last_lr()[0]:.1e}")
    print(evaluate(model, wav, labels, device))


if __name__ == "__main__":
    main()
