"""A custom operator with a gradient, and an autograd Function with a straight-through gradient."""

import torch
from torch import nn

device = torch.device("cuda")


@torch.library.custom_op("programs::soft_shrink", mutates_args=())
def soft_shrink(x: torch.Tensor, threshold: torch.Tensor) -> torch.Tensor:
    return torch.sign(x) * torch.clamp(x.abs() - threshold, min=0)  # crash 1


@soft_shrink.register_fake
def _(x, threshold):
    return torch.empty_like(x)


def shrink_setup(ctx, inputs, output):
    ctx.save_for_backward(output)


def shrink_backward(ctx, gradient):
    (output,) = ctx.saved_tensors
    passed = gradient * (output != 0)
    return passed, -(passed * output.sign()).sum(0)


soft_shrink.register_autograd(shrink_backward, setup_context=shrink_setup)


class Quantise(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, levels):
        ctx.save_for_backward(x, levels)
        nearest = (x[..., None] - levels).abs().argmin(-1)
        return levels[nearest]

    @staticmethod
    def backward(ctx, gradient):
        x, levels = ctx.saved_tensors
        mask = torch.ones(x.shape, device=x.device)
        # bug 2: mask = torch.ones(x.shape)  # born 2
        mask[x.abs() > levels.max()] = 0
        return gradient * mask, None  # crash 2


encoder, decoder = nn.Linear(10, 6).to(device), nn.Linear(6, 10).to(device)
levels = torch.linspace(-1, 1, 5, device=device)
threshold = nn.Parameter(torch.full((6,), 0.01, device=device))
# bug 1: threshold = nn.Parameter(torch.full((6,), 0.01))  # born 1
optimizer = torch.optim.SGD([*encoder.parameters(), *decoder.parameters(), threshold], lr=0.1)
for _ in range(3):
    x = torch.randn(8, 10, device=device)
    code = Quantise.apply(soft_shrink(encoder(x), threshold), levels)
    loss = (decoder(code) - x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item(), threshold.grad.shape)
