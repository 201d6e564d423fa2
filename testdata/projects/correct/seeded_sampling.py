"""Draw tokens the same way on every run, on any device."""

import torch
import torch.nn.functional as F


def top_k_filter(logits, k):
    values, _ = torch.topk(logits, k)
    floor = values[..., -1, None]
    return torch.where(logits < floor, torch.full_like(logits, float("-inf")), logits)


def sample(logits, temperature, k, generator):
    filtered = top_k_filter(logits / temperature, k)
    probabilities = F.softmax(filtered, dim=-1)
    return torch.multinomial(probabilities, 1, generator=generator)


def shuffled(items, generator):
    order = torch.randperm(items.size(0), generator=generator, device=items.device)
    return items[order]


def main(seed=0):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    generator = torch.Generator(device=device)
    generator.manual_seed(seed)
    table = torch.randn(12, 12, generator=generator, device=device)
    token = torch.zeros(3, dtype=torch.long, device=device)
    drawn = []
    for _ in range(5):
        token = sample(table[token], 0.8, 4, generator).squeeze(1)
        drawn.append(token)
    noise = torch.rand(3, 5, generator=generator, device=device)
    kept = torch.stack(drawn, dim=1)[noise > 0.2]
    print(shuffled(kept, generator).tolist())

    host = torch.Generator().manual_seed(seed)
    start = torch.randn(4, generator=host).to(device)
    print((start * torch.arange(4, device=device)).sum().item())


if __name__ == "__main__":
    main()
