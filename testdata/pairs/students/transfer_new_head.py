import os
import tempfile
import time

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

device = torch.device('cuda:0' if torch.cuda.is_available() else 'cpu')


class Shapes(Dataset):
    """Random blobs whose label is the brightest quadrant (task 1: 4 classes, task 2: left/right)."""

    def __init__(self, n, binary=False, seed=0):
        g = torch.Generator().manual_seed(seed)
        self.x = torch.rand(n, 3, 8, 8, generator=g)
        quad = torch.randint(0, 4, (n,), generator=g)
        for i, q in enumerate(quad.tolist()):
            r, c = divmod(q, 2)
            self.x[i, :, 4 * r:4 * r + 4, 4 * c:4 * c + 4] += 1.0
        self.y = quad % 2 if binary else quad

    def __len__(self):
        return len(self.y)

    def __getitem__(self, idx):
        return self.x[idx], int(self.y[idx])


class Backbone(nn.Module):
    def __init__(self, num_classes):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(8, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.AdaptiveAvgPool2d(2),
        )
        self.fc = nn.Linear(16 * 4, num_classes)

    def forward(self, x):
        return self.fc(torch.flatten(self.features(x), 1))


def set_parameter_requires_grad(model, feature_extracting):
    if feature_extracting:
        for param in model.parameters():
            param.requires_grad = False


def initialize_model(weights_path, num_classes, feature_extract=True):
    model = load_pretrained(weights_path)
    set_parameter_requires_grad(model, feature_extract)
    num_ftrs = model.fc.in_features
    model.fc = nn.Sequential(nn.Dropout(0.2), nn.Linear(num_ftrs, num_classes)).to(device)
    return model


def load_pretrained(weights_path):
    state = torch.load(weights_path, map_location='cpu')
    model = Backbone(num_classes=state['fc.weight'].shape[0])
    model.load_state_dict(state)
    return model.to(device)


def train_model(model, dataloaders, optimizer, num_epochs=2):
    since = time.time()
    best_acc = 0.0
    for epoch in range(num_epochs):
        for phase in ['train', 'val']:
            model.train() if phase == 'train' else model.eval()
            running_loss, running_corrects = 0.0, 0
            for inputs, labels in dataloaders[phase]:
                inputs = inputs.to(device)
                labels = labels.to(device)
                optimizer.zero_grad()
                with torch.set_grad_enabled(phase == 'train'):
                    outputs = model(inputs)
                    loss = F.cross_entropy(outputs, labels)
                    _, preds = torch.max(outputs, 1)
                    if phase == 'train':
                        loss.backward()
                        optimizer.step()
                running_loss += loss.item() * inputs.size(0)
                running_corrects += torch.sum(preds == labels.data)
            n = len(dataloaders[phase].dataset)
            epoch_acc = running_corrects.double() / n
            print('{} Loss: {:.4f} Acc: {:.4f}'.format(phase, running_loss / n, epoch_acc))
            if phase == 'val':
                best_acc = max(best_acc, epoch_acc.item())
    print('Done in {:.1f}s, best val Acc: {:.4f}'.format(time.time() - since, best_acc))
    return model


def loaders(binary):
    return {'train': DataLoader(Shapes(64, binary, 0), batch_size=16, shuffle=True),
            'val': DataLoader(Shapes(32, binary, 1), batch_size=16)}


if __name__ == '__main__':
    torch.manual_seed(0)
    path = os.path.join(tempfile.mkdtemp(), 'backbone.pth')

    source = Backbone(num_classes=4).to(device)
    train_model(source, loaders(False), torch.optim.SGD(source.parameters(), lr=0.05, momentum=0.9))
    torch.save(source.state_dict(), path)

    model_ft = initialize_model(path, num_classes=2)
    params_to_update = [p for p in model_ft.parameters() if p.requires_grad]
    print('training', sum(p.numel() for p in params_to_update), 'parameters')
    train_model(model_ft, loaders(True), torch.optim.SGD(params_to_update, lr=0.05, momentum=0.9))
