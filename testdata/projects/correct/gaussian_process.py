"""Gaussian process regression; one dict says the dtype and the device of all tensors."""

import math

import torch

factory = {
    "dtype": torch.float64,
    "device": torch.device("cuda" if torch.cuda.is_available() else "cpu"),
}


class RBFKernel(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.log_scale = torch.nn.Parameter(torch.zeros(1, **factory))
        self.log_length = torch.nn.Parameter(torch.tensor([0.0], **factory))

    def forward(self, a, b):
        distance = (a[:, None] - b[None, :]).pow(2)
        return self.log_scale.exp() * torch.exp(-0.5 * distance / self.log_length.exp() ** 2)


def negative_log_likelihood(kernel, x, y, noise):
    covariance = kernel(x, x) + noise * torch.eye(len(x), **factory)
    factor = torch.linalg.cholesky(covariance)
    alpha = torch.cholesky_solve(y.unsqueeze(1), factor)
    fit = 0.5 * (y.unsqueeze(1) * alpha).sum()
    return fit + factor.diag().log().sum() + 0.5 * len(x) * math.log(2 * math.pi)


def predict(kernel, x, y, query, noise):
    covariance = kernel(x, x) + noise * torch.eye(len(x), dtype=x.dtype, device=x.device)
    return kernel(query, x) @ torch.linalg.solve(covariance, y)


x = torch.linspace(0, 6, 15, **factory)
y = torch.sin(x) + 0.1 * torch.randn(15, **factory)
kernel = RBFKernel()
optimizer = torch.optim.Adam(kernel.parameters(), lr=0.1)
for _ in range(5):
    optimizer.zero_grad()
    loss = negative_log_likelihood(kernel, x, y, 0.1)
    loss.backward()
    optimizer.step()

query = torch.tensor([1.0, 2.0], **factory)
with torch.no_grad():
    print(predict(kernel, x, y, query, 0.1).tolist(), loss.item())
