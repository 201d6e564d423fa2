"""Attack a classifier with the sign of the gradient."""

import torch
import torch.nn.functional as F
from torch import nn


def attack(model, images, labels, epsilon):
    images = images.clone().detach().requires_grad_(True)
    loss = F.nll_loss(model(images), labels)
    (gradient,) = torch.autograd.grad(loss, images)
    noise = torch.empty_like(images).uniform_(-epsilon, epsilon)
    return (images + epsilon * gradient.sign() + 0.1 * noise).clamp(0, 1).detach()


def project(delta, epsilon):
    norms = delta.flatten(1).norm(dim=1)
    limit = torch.full_like(norms, epsilon)
    factor = torch.minimum(torch.ones_like(norms), limit / norms.clamp(min=1e-12))
    return delta * factor.view(-1, 1, 1, 1)


def test(model, device, batches, epsilon):
    correct = 0
    for images, labels in batches:
        images = images.cuda() if device == "cuda" else images
        labels = labels.to(device)
        attacked = attack(model, images, labels, epsilon)
        nearer = images + project(attacked - images, 0.5)
        correct += (model(nearer).argmax(1) == labels).sum().item()
    return correct


if __name__ == "__main__":
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = nn.Sequential(nn.Flatten(), nn.Linear(16, 3), nn.LogSoftmax(dim=1)).to(device)
    model.eval()
    data = [(torch.rand(5, 1, 4, 4), torch.randint(0, 3, (5,))) for _ in range(2)]
    for eps in (0.0, 0.1, 0.3):
        print(eps, test(model, device, data, eps))
