"""Line recognition: batches of variable width crops, CTC greedy decoding."""
import itertools
import string

import numpy as np
import torch
import torch.nn as nn


class CRNN(nn.Module):
    def __init__(self, n_chars, height=16, hidden=24):
        super().__init__()
        self.cnn = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(16, 24, 3, padding=1), nn.ReLU(), nn.MaxPool2d((2, 1)))
        self.rnn = nn.LSTM(24 * height // 4, hidden, bidirectional=True, batch_first=True)
        self.fc = nn.Linear(2 * hidden, n_chars)

    def forward(self, x):
        f = self.cnn(x)
        b, c, h, w = f.shape
        f = f.permute(0, 3, 1, 2).reshape(b, w, c * h)
        return self.fc(self.rnn(f)[0]).log_softmax(-1)


class CTCLabelConverter:
    blank = 0

    def __init__(self, characters):
        self.characters = ["<b>"] + list(characters)

    def decode_greedy(self, indices, lengths):
        texts = []
        for row, n in zip(indices, lengths):
            collapsed = [k for k, _ in itertools.groupby(row[:n])]
            texts.append("".join(self.characters[k] for k in collapsed if k != self.blank))
        return texts


class LineRecognizer(object):
    """Wraps network, preprocessing and decoding.

    >>> reader = LineRecognizer().cuda()
    >>> reader.read([crop1, crop2])
    """

    def __init__(self, characters=string.digits + string.ascii_lowercase, height=16, weights=None):
        self.height = height
        self.converter = CTCLabelConverter(characters)
        self.net = CRNN(len(self.converter.characters), height)
        if weights is not None:
            self.net.load_state_dict(torch.load(weights, map_location="cpu"))
        self.net.eval()
        self.device = next(self.net.parameters()).device

    def to(self, device):
        self.net.to(device)
        self.device = next(self.net.parameters()).device
        return self

    def cuda(self):
        return self.to("cuda")

    def half(self):
        self.net.half()
        return self

    def _prepare(self, crops):
        resized, widths = [], []
        for crop in crops:
            img = torch.from_numpy(np.ascontiguousarray(crop)).float().div(127.5).sub(1)
            w = max(int(round(img.shape[1] * self.height / img.shape[0])), 4)
            img = nn.functional.interpolate(img[None, None], (self.height, w), mode="bilinear", align_corners=False)
            resized.append(img[0])
            widths.append(w)
        batch = torch.full((len(crops), 1, self.height, max(widths)), -1.0)
        for slot, img in zip(batch, resized):
            slot[:, :, : img.shape[2]] = img
        return batch, [w // 2 for w in widths]

    @torch.no_grad()
    def read(self, crops, batch_size=4):
        results = [None] * len(crops)
        by_ratio = sorted(range(len(crops)), key=lambda i: crops[i].shape[1] / crops[i].shape[0])
        for s in range(0, len(by_ratio), batch_size):
            ids = by_ratio[s:s + batch_size]
            batch, lengths = self._prepare([crops[i] for i in ids])
            batch = batch.to(self.device)
            logp = self.net(batch)
            conf, best = logp.max(-1)
            texts = self.converter.decode_greedy(best.tolist(), lengths)
            for i, text, c, n in zip(ids, texts, conf.exp(), lengths):
                results[i] = (text, c[:n].prod().item())
        return results


def main():
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    crops = [rng.integers(0, 256, size=(int(h), int(w)), dtype=np.uint8)
             for h, w in zip(rng.integers(12, 30, 6), rng.integers(20, 60, 6))]
    reader = LineRecognizer()
    if torch.cuda.is_available():
        reader = reader.cuda()
    for i, (text, conf) in enumerate(reader.read(crops)):
        print(f"{i}: {text!r} ({conf:.2e})")


if __name__ == "__main__":
    main()
