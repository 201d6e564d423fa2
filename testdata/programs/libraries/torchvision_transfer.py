"""Transfers a ResNet: frozen body, new head, augmentation on the device, features by a hook."""

import torch
from torch import nn
from torchvision.models import resnet18
from torchvision.models.feature_extraction import create_feature_extractor
from torchvision.transforms import v2

device = torch.device("cuda")
model = resnet18(weights=None, num_classes=10)
for parameter in model.parameters():
    parameter.requires_grad = False
model.fc = nn.Linear(model.fc.in_features, 4)
model = model.to(device)
# bug 1: model = model.to(device); model.fc = nn.Linear(model.fc.in_features, 4)  # born 1

augment = v2.Compose(
    [
        v2.RandomHorizontalFlip(),
        v2.RandomResizedCrop(32, scale=(0.5, 1.0), antialias=True),
        v2.ColorJitter(0.2, 0.2, 0.2),
        v2.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]),
    ]
)
cutmix = v2.RandomChoice([v2.CutMix(num_classes=4), v2.MixUp(num_classes=4)])
optimizer = torch.optim.SGD(model.fc.parameters(), lr=0.1, momentum=0.9)
model.train()
for _ in range(2):
    images = augment(torch.rand(4, 3, 48, 48, device=device))
    labels = torch.randint(0, 4, (4,), device=device)
    # bug 2: labels = torch.randint(0, 4, (4,))  # born 2
    images, labels = cutmix(images, labels)
    # bug 2: labels = labels + 0  # born 2
    loss = nn.functional.cross_entropy(model(images), labels)  # crash 1, crash 2
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

model.eval()
extract = create_feature_extractor(model, {"layer2": "middle", "flatten": "last"})
with torch.no_grad():
    features = extract(torch.rand(2, 3, 32, 32, device=device))
print({name: tuple(value.shape) for name, value in features.items()})
