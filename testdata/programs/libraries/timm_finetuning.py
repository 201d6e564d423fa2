"""Fine-tunes a small vision transformer of timm: mixup, soft targets, averaged weights."""

import timm
import torch
from timm.data import Mixup
from timm.loss import SoftTargetCrossEntropy
from timm.optim import create_optimizer_v2
from timm.scheduler import CosineLRScheduler
from timm.utils import ModelEmaV3, NativeScaler, accuracy

device = torch.device("cuda")
model = timm.create_model(
    "vit_tiny_patch16_224",
    img_size=32,
    patch_size=8,
    embed_dim=24,
    depth=2,
    num_heads=2,
    num_classes=10,
    drop_path_rate=0.1,
)
model.reset_classifier(5)
model = model.to(device, memory_format=torch.channels_last)
# bug 1: model = model.to(device); model.head = torch.nn.Linear(24, 5)  # born 1
average = ModelEmaV3(model, decay=0.99)
optimizer = create_optimizer_v2(model, opt="adamw", lr=1e-3, weight_decay=0.05, layer_decay=0.8)
schedule = CosineLRScheduler(optimizer, t_initial=2, warmup_t=1)
mixup = Mixup(mixup_alpha=0.8, cutmix_alpha=1.0, num_classes=5)
criterion, scaler = SoftTargetCrossEntropy(), NativeScaler()
for epoch in range(2):
    model.train()
    for _ in range(2):
        images = torch.rand(4, 3, 32, 32, device=device)
        labels = torch.randint(0, 5, (4,), device=device)
        images, targets = mixup(images, labels)
        with torch.autocast("cuda"):
            loss = criterion(model(images), targets)  # crash 1
        optimizer.zero_grad()
        scaler(loss, optimizer, clip_grad=1.0, parameters=model.parameters())
        average.update(model)
    schedule.step(epoch + 1)
    model.eval()
    images, labels = torch.rand(8, 3, 32, 32), torch.randint(0, 5, (8,))  # born 2
    images, labels = images.to(device), labels.to(device)
    # bug 2: images = images.to(device)
    with torch.inference_mode():
        top1, top3 = accuracy(average.module(images), labels, topk=(1, 3))  # crash 2
    print(f"epoch {epoch}: {top1.item():.1f} {top3.item():.1f}")
