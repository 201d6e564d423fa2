import torch

from lm import CharLM, LMConfig
from lm.corpus import CharCorpus


@torch.no_grad()
def generate(model, idx, n, temperature=1.0):
    model.eval()
    for _ in range(n):
        logits, _ = model(idx[:, -model.cfg.block_size:])
        probs = torch.softmax(logits[:, -1] / temperature, dim=-1)
        idx = torch.cat([idx, torch.multinomial(probs, 1)], dim=1)
    return idx


TEXT = "the quick brown fox jumps over the lazy dog. pack my box with five dozen liquor jugs. " * 4


def train(model: CharLM, corpus: CharCorpus, cfg: LMConfig) -> None:
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr)
    for step in range(cfg.max_steps):
        x, y = corpus.batch(cfg.batch_size, cfg.block_size)
        x, y = x.to(cfg.device), y.to(cfg.device)
        _, loss = model(x, y)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        if step % 4 == 0:
            print(f"step {step}: loss {loss.item():.3f}")


if __name__ == "__main__":
    torch.manual_seed(1337)
    corpus = CharCorpus(TEXT)
    cfg = LMConfig(vocab_size=corpus.vocab_size)
    model = CharLM(cfg).to(cfg.device)
    train(model, corpus, cfg)
    prompt = torch.tensor([corpus.encode("the ")], dtype=torch.long, device=cfg.device)
    print(corpus.decode(generate(model, prompt, 20)[0].tolist()))
