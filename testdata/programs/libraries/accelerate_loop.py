"""A loop by Accelerate: accumulation, gathered metrics, and a state that is saved and loaded."""

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

set_seed(0)
accelerator = Accelerator(mixed_precision="bf16", gradient_accumulation_steps=2)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
data = TensorDataset(torch.randn(32, 8), torch.randint(0, 4, (32,)))
train = DataLoader(data, batch_size=4, shuffle=True)
test = DataLoader(data, batch_size=8)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
scheduler = torch.optim.lr_scheduler.LinearLR(optimizer)
priors = torch.log(torch.bincount(data.tensors[1], minlength=4) / 32)  # born 1
model, optimizer, train, scheduler = accelerator.prepare(model, optimizer, train, scheduler)
test = accelerator.prepare(test)
# bug 2: test = DataLoader(data, batch_size=8)
priors = priors.to(accelerator.device)
# bug 1: priors = priors.clone()  # born 1
for epoch in range(2):
    model.train()
    for features, labels in train:
        with accelerator.accumulate(model), accelerator.autocast():
            loss = nn.functional.cross_entropy(model(features) + priors, labels)  # crash 1
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
    accelerator.save_state("state")
    model.eval()
    correct = 0
    for features, labels in test:  # born 2
        with torch.no_grad():
            found = model(features).argmax(-1)  # crash 2
        found, labels = accelerator.gather_for_metrics((found, labels))
        correct += (found == labels).sum().item()
    accelerator.print(f"epoch {epoch}: {correct / len(data):.2f}")
accelerator.load_state("state")
accelerator.end_training()
