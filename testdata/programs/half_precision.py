"""Mixed precision in float16 with a gradient scaler, accumulation and an average of the weights."""

import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

device = "cuda"


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)
        self.norm = nn.GroupNorm(2, 8)
        self.out = nn.Linear(8, 6)

    def forward(self, images):
        hidden = torch.relu(self.norm(self.conv(images)))
        return self.out(hidden.mean((2, 3)))  # crash 1


model = Net().to(device)
# bug 1: model = Net().to(device); model.out = nn.Linear(8, 6)  # born 1
average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.99))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
# bug 1: optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler(device)
criterion = nn.BCEWithLogitsLoss(pos_weight=torch.full((6,), 2.0)).to(device)
# bug 2: criterion = nn.BCEWithLogitsLoss(pos_weight=torch.full((6,), 2.0))  # born 2
for step in range(6):
    images = torch.rand(4, 3, 12, 12, device=device)
    labels = torch.randint(0, 2, (4, 6), device=device).float()
    with torch.autocast(device, dtype=torch.float16):
        logits = model(images)
        loss = criterion(logits, labels) / 2  # crash 2
    scaler.scale(loss).backward()
    if step % 2:
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad(set_to_none=True)
        average.update_parameters(model)
print(logits.dtype, scaler.get_scale(), average.module(images).shape)
