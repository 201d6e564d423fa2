import argparse
from dataclasses import dataclass
from typing import List, Optional

import torch
import torch.nn as nn


@dataclass
class SamplingParams:
    max_tokens: int = 12
    temperature: float = 0.8
    top_k: int = 20
    top_p: float = 0.9
    presence_penalty: float = 0.3
    seed: Optional[int] = 1234


class CharTokenizer:
    def __init__(self, text: str):
        self.itos = sorted(set(text))
        self.stoi = {c: i for i, c in enumerate(self.itos)}

    def encode(self, s: str) -> List[int]:
        return [self.stoi[c] for c in s if c in self.stoi]

    def decode(self, ids: List[int]) -> str:
        return "".join(self.itos[i] for i in ids)


class GRULM(nn.Module):
    def __init__(self, vocab_size: int, dim: int = 32):
        super().__init__()
        self.emb = nn.Embedding(vocab_size, dim)
        self.rnn = nn.GRU(dim, dim, batch_first=True)
        self.lm_head = nn.Linear(dim, vocab_size, bias=False)
        self.lm_head.weight = self.emb.weight

    def forward(self, ids, state=None):
        h, state = self.rnn(self.emb(ids), state)
        return self.lm_head(h[:, -1]), state


class Sampler:
    """Turns logits of shape (batch, vocab) into the next token ids (batch, 1)."""

    def __init__(self, params: SamplingParams, batch_size: int, vocab_size: int, device: torch.device):
        self.params = params
        self.seen = torch.zeros(batch_size, vocab_size, device=device)
        self.generator = None
        if params.seed is not None:
            self.generator = torch.Generator(device=device).manual_seed(params.seed)

    def observe(self, tokens: torch.Tensor) -> None:
        self.seen.scatter_(1, tokens, 1.0)

    def __call__(self, logits: torch.Tensor) -> torch.Tensor:
        p = self.params
        logits = logits.float() - p.presence_penalty * self.seen
        if p.temperature < 1e-5:
            token = logits.argmax(-1, keepdim=True)
        else:
            logits = self._filter(logits / p.temperature)
            probs = torch.softmax(logits, dim=-1)
            token = torch.multinomial(probs, num_samples=1, generator=self.generator)
        self.observe(token)
        return token

    def _filter(self, logits):
        if self.params.top_k:
            kth = logits.topk(min(self.params.top_k, logits.size(-1))).values[:, -1:]
            logits = logits.masked_fill(logits < kth, float("-inf"))
        if self.params.top_p < 1.0:
            sorted_logits, idx = logits.sort(dim=-1, descending=True)
            cum = sorted_logits.softmax(-1).cumsum(-1)
            drop = cum - sorted_logits.softmax(-1) > self.params.top_p
            drop = torch.zeros_like(drop).scatter(1, idx, drop)
            logits = logits.masked_fill(drop, float("-inf"))
        return logits


@torch.inference_mode()
def generate(model, tok, prompts: List[str], params: SamplingParams) -> List[str]:
    device = next(model.parameters()).device
    encoded = [tok.encode(p) for p in prompts]
    width = min(len(e) for e in encoded)
    ids = torch.tensor([e[-width:] for e in encoded], dtype=torch.long, device=device)
    sampler = Sampler(params, len(prompts), len(tok.itos), device)
    sampler.observe(ids)

    logits, state = model(ids)
    produced = []
    for _ in range(params.max_tokens):
        nxt = sampler(logits)
        produced.append(nxt)
        logits, state = model(nxt, state)
    new = torch.cat(produced, dim=1).cpu()
    return [p + tok.decode(row.tolist()) for p, row in zip(prompts, new)]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--temperature", type=float, default=0.8)
    ap.add_argument("--no-cuda", action="store_true")
    args = ap.parse_args()
    use_cuda = not args.no_cuda and torch.cuda.is_available()
    torch.manual_seed(0)

    tok = CharTokenizer("the quick brown fox jumps over the lazy dog. ")
    model = GRULM(len(tok.itos)).eval()
    if use_cuda:
        model.cuda()
    params = SamplingParams(temperature=args.temperature)
    for line in generate(model, tok, ["the quick", "lazy dog."], params):
        print(repr(line))


if __name__ == "__main__":
    main()
