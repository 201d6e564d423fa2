import argparse
import os
import tempfile
from pathlib import Path

import torch
from torch import nn


def get_args():
    parser = argparse.ArgumentParser(description="Caption scoring with a pretrained text/image model")
    parser.add_argument("--checkpoint", type=Path, default=None)
    parser.add_argument("--cpu", action="store_true", help="force the CPU")
    parser.add_argument("--topk", type=int, default=2)
    args = parser.parse_args()
    args.device = torch.device("cpu" if args.cpu or not torch.cuda.is_available() else "cuda")
    return args


class ImageTower(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.patch = nn.Conv2d(3, dim, 4, stride=4)
        self.cls = nn.Parameter(torch.zeros(1, 1, dim))
        self.attn = nn.MultiheadAttention(dim, 2, batch_first=True)
        self.ln = nn.LayerNorm(dim)

    def forward(self, images):
        x = self.patch(images).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(x.size(0), -1, -1), x], dim=1)
        x = x + self.attn(x, x, x, need_weights=False)[0]
        return self.ln(x[:, 0])


class TextTower(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.emb = nn.EmbeddingBag(vocab, dim, mode="mean", padding_idx=0)
        self.proj = nn.Linear(dim, dim)

    def forward(self, tokens):
        return self.proj(self.emb(tokens))


class MiniCLIP(nn.Module):
    def __init__(self, vocab=64, dim=16):
        super().__init__()
        self.visual = ImageTower(dim)
        self.text = TextTower(vocab, dim)
        self.logit_scale = nn.Parameter(torch.tensor(2.3))

    def forward(self, images, tokens):
        i = nn.functional.normalize(self.visual(images), dim=-1)
        t = nn.functional.normalize(self.text(tokens), dim=-1)
        return self.logit_scale.exp() * i @ t.t()


def clean_state_dict(sd):
    """Strip the prefixes that wrappers leave in the names."""
    out = {}
    for k, v in sd.items():
        for prefix in ("module.", "_orig_mod.", "model."):
            if k.startswith(prefix):
                k = k[len(prefix):]
        out[k] = v
    return out


def load_model(path, device):
    model = MiniCLIP().to(device)
    checkpoint = torch.load(path, map_location=device, weights_only=True)
    state = clean_state_dict(checkpoint["state_dict"])
    missing, unexpected = model.load_state_dict(state, strict=False, assign=True)
    if missing or unexpected:
        raise RuntimeError(f"bad checkpoint: missing {missing}, unexpected {unexpected}")
    model.requires_grad_(False)
    return model.eval(), checkpoint.get("epoch", -1)


def tokenize(captions, width=8):
    tokens = torch.zeros(len(captions), width, dtype=torch.long)
    for row, text in zip(tokens, captions):
        ids = [1 + sum(map(ord, w)) % 63 for w in text.split()][:width]
        row[: len(ids)] = torch.tensor(ids)
    return tokens


def write_demo_checkpoint(folder):
    torch.manual_seed(11)
    reference = MiniCLIP()
    path = os.path.join(folder, "clip.pt")
    torch.save({"epoch": 30, "state_dict": {f"module.{k}": v for k, v in reference.state_dict().items()}}, path)
    return path


def main():
    args = get_args()
    captions = ["a photo of a dog", "a cat on a sofa", "two people riding bikes", "a bowl of soup"]
    with tempfile.TemporaryDirectory() as tmp:
        model, epoch = load_model(args.checkpoint or write_demo_checkpoint(tmp), args.device)
    print("loaded epoch", epoch)
    tokens = tokenize(captions).to(args.device)
    images = torch.rand(3, 3, 16, 16).to(args.device)
    with torch.no_grad():
        probs = model(images, tokens).softmax(dim=-1)
    values, indices = probs.topk(args.topk)
    for v, i in zip(values.cpu(), indices.cpu()):
        print([(captions[j], round(p, 3)) for p, j in zip(v.tolist(), i.tolist())])


if __name__ == "__main__":
    main()
