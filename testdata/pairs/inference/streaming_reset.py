"""Chunked keyword spotting on an audio stream."""
import argparse
import collections
from typing import Deque, Iterator, List

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

SAMPLE_RATE = 4000
CHUNK = 400
KEYWORDS = ["_silence_", "yes", "no", "stop"]


class StreamingConv1d(nn.Module):
    """Causal convolution that keeps the last samples of the previous chunk."""

    def __init__(self, in_ch: int, out_ch: int, kernel: int, stride: int = 1):
        super().__init__()
        self.conv = nn.Conv1d(in_ch, out_ch, kernel, stride=stride)
        self.left = kernel - stride
        self.register_buffer("context", torch.zeros(1, in_ch, self.left), persistent=False)

    def reset(self) -> None:
        self.context = torch.zeros_like(self.context)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.cat([self.context, x], dim=-1)
        if self.left:
            self.context = x[..., -self.left:].detach()
        return self.conv(x)


class KeywordSpotter(nn.Module):
    def __init__(self, classes: int, ch: int = 16):
        super().__init__()
        self.frontend = StreamingConv1d(1, ch, 20, stride=10)
        self.body = StreamingConv1d(ch, ch, 4, stride=2)
        self.rnn = nn.GRU(ch, ch, batch_first=True)
        self.out = nn.Linear(ch, classes)
        self._h = None

    def reset_state(self) -> None:
        for m in self.modules():
            if isinstance(m, StreamingConv1d):
                m.reset()
        self._h = None

    def forward(self, chunk: torch.Tensor) -> torch.Tensor:
        x = F.relu(self.frontend(chunk))
        x = F.relu(self.body(x))
        y, self._h = self.rnn(x.transpose(1, 2), self._h)
        return self.out(y[:, -1])


class PosteriorSmoother:
    def __init__(self, window: int, threshold: float):
        self.threshold = threshold
        self.history: Deque[np.ndarray] = collections.deque(maxlen=window)

    def push(self, logits: torch.Tensor):
        self.history.append(logits.softmax(-1)[0].cpu().numpy())
        avg = np.mean(self.history, axis=0)
        best = int(avg.argmax())
        return (KEYWORDS[best], float(avg[best])) if best and avg[best] > self.threshold else None

    def clear(self):
        self.history.clear()


class StreamSession:
    def __init__(self, model: KeywordSpotter, device: torch.device, threshold: float):
        self.model = model
        self.device = device
        self.smoother = PosteriorSmoother(4, threshold)

    @torch.inference_mode()
    def process(self, pcm: Iterator[np.ndarray]) -> List:
        events = []
        for t, block in enumerate(pcm):
            chunk = torch.from_numpy(block).float().div_(32768.0)
            hit = self.smoother.push(self.model(chunk.to(self.device).view(1, 1, -1)))
            if hit is not None:
                events.append((round(t * CHUNK / SAMPLE_RATE, 2), *hit))
        return events

    def close_utterance(self):
        self.model.reset_state()
        self.smoother.clear()


def fake_microphone(seconds: float, rng: np.random.Generator):
    total = int(seconds * SAMPLE_RATE)
    signal = (rng.normal(size=total) * 3000).astype(np.int16)
    for i in range(0, total - CHUNK + 1, CHUNK):
        yield signal[i:i + CHUNK]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--threshold", type=float, default=0.2)
    ap.add_argument("--utterances", type=int, default=3)
    opt = ap.parse_args()
    torch.manual_seed(2)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = KeywordSpotter(len(KEYWORDS)).to(device).eval()
    session = StreamSession(model, device, opt.threshold)
    rng = np.random.default_rng(0)
    for u in range(opt.utterances):
        events = session.process(fake_microphone(0.5, rng))
        print(f"utterance {u}: {len(events)} events, last {events[-1] if events else None}")
        session.close_utterance()


if __name__ == "__main__":
    main()
