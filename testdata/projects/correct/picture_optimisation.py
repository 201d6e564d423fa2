"""Optimise the pixels of a picture: the leaf is made on the device."""

import torch
from torch import nn, optim


class StyleLoss(nn.Module):
    def __init__(self, target):
        super().__init__()
        self.register_buffer("target", gram(target).detach())

    def forward(self, features):
        return nn.functional.mse_loss(gram(features), self.target)


def gram(features):
    batch, channels, height, width = features.size()
    flat = features.view(batch * channels, height * width)
    return flat @ flat.t() / flat.numel()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
network = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Conv2d(4, 4, 3)).to(device).eval()
for parameter in network.parameters():
    parameter.requires_grad_(False)

mean = torch.tensor([0.485, 0.456, 0.406], device=device).view(-1, 1, 1)
std = torch.tensor([0.229, 0.224, 0.225]).to(device).view(-1, 1, 1)
style = torch.rand(1, 3, 8, 8).to(device)
style_loss = StyleLoss(network((style - mean) / std)).to(device)

picture = torch.rand(1, 3, 8, 8, device=device, requires_grad=True)
optimizer = optim.Adam([picture], lr=0.05)
for _ in range(4):
    optimizer.zero_grad()
    loss = style_loss(network((picture - mean) / std))
    loss.backward()
    optimizer.step()
with torch.no_grad():
    picture.clamp_(0, 1)

offset = torch.zeros(3).to(device).requires_grad_()
shift = optim.SGD([offset], lr=0.1)
shifted = picture.detach() + offset.view(-1, 1, 1)
(shifted.mean() - 0.5).pow(2).backward()
shift.step()
print(loss.item(), offset.tolist())
