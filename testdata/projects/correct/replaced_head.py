"""Fine-tune with a new head and an added block."""

import torch
import torch.nn as nn


class Encoder(nn.Module):
    def __init__(self, width: int = 16, classes: int = 10) -> None:
        super().__init__()
        self.blocks = nn.ModuleList([nn.Linear(width, width) for _ in range(2)])
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for block in self.blocks:
            x = x + torch.relu(block(x))
        return self.head(self.norm(x))


device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
model = Encoder()
for parameter in model.parameters():
    parameter.requires_grad = False

model.head = nn.Linear(16, 3)
model.blocks.append(nn.Linear(16, 16))
model = model.to(device)

trainable = [p for p in model.parameters() if p.requires_grad]
optimizer = torch.optim.AdamW(trainable, lr=1e-3)
for _ in range(3):
    x = torch.randn(8, 16).to(device)
    y = torch.randint(0, 3, (8,)).to(device)
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
