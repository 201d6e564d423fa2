# %% [markdown]
# Fashion classifier, homework 3
# %%
import random
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import TensorDataset, DataLoader, random_split

SEED = 7
random.seed(SEED)
np.random.seed(SEED)
torch.manual_seed(SEED)

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
CLASSES = ["shirt", "trouser", "coat", "bag", "boot"]
BATCH_SIZE = 16
EPOCHS = 2

# %%
images = torch.randn(160, 1, 12, 12)
labels = torch.randint(0, len(CLASSES), (160,))
full_ds = TensorDataset(images, labels)
train_ds, val_ds = random_split(full_ds, [128, 32], generator=torch.Generator().manual_seed(SEED))
train_dl = DataLoader(train_ds, batch_size=BATCH_SIZE, shuffle=True)
val_dl = DataLoader(val_ds, batch_size=BATCH_SIZE)


# %%
class SmallCNN(nn.Module):
    def __init__(self, n_classes):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, padding=1)
        self.conv2 = nn.Conv2d(8, 16, 3, padding=1)
        self.pool = nn.MaxPool2d(2)
        self.fc = nn.Linear(16 * 3 * 3, n_classes)

    def forward(self, x):
        x = self.pool(F.relu(self.conv1(x)))
        x = self.pool(F.relu(self.conv2(x)))
        return self.fc(x.flatten(1))


model = SmallCNN(len(CLASSES)).to(device)
# inverse frequency weights from the training labels
counts = torch.bincount(labels[train_ds.indices], minlength=len(CLASSES)).float()
class_weights = (counts.sum() / (len(CLASSES) * counts.clamp(min=1))).to(device)
criterion = nn.CrossEntropyLoss(weight=class_weights)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

# %%
history = {"train_loss": [], "val_loss": [], "val_acc": []}
for epoch in range(EPOCHS):
    model.train()
    running_loss = 0.0
    for xb, yb in train_dl:
        xb, yb = xb.to(device), yb.to(device)
        optimizer.zero_grad()
        loss = criterion(model(xb), yb)
        loss.backward()
        optimizer.step()
        running_loss += loss.item() * xb.size(0)
    history["train_loss"].append(running_loss / len(train_ds))

    model.eval()
    val_loss, correct = 0.0, torch.tensor(0)
    with torch.no_grad():
        for xb, yb in val_dl:
            xb, yb = xb.to(device), yb.to(device)
            out = model(xb)
            val_loss += criterion(out, yb).item() * len(yb)
            correct = correct + (out.argmax(1) == yb).sum()
    history["val_loss"].append(val_loss / len(val_ds))
    history["val_acc"].append(correct.item() / len(val_ds))
    print(f"epoch {epoch + 1}: {history['train_loss'][-1]:.3f} {history['val_loss'][-1]:.3f} {history['val_acc'][-1]:.3f}")

# %% confusion matrix (rows: truth, columns: prediction)
cm = torch.zeros(len(CLASSES), len(CLASSES), dtype=torch.int64)
model.eval()
with torch.no_grad():
    for xb, yb in val_dl:
        xb = xb.to(device)
        preds = model(xb).argmax(dim=1).cpu()
        for t in range(len(CLASSES)):
            row = preds[yb == t]
            cm[t] += torch.bincount(row, minlength=len(CLASSES))

cm = cm.numpy()
recall = cm.diagonal() / np.maximum(cm.sum(axis=1), 1)
for name, r in zip(CLASSES, recall):
    print(f"{name:>8s} recall {r:.2f}")
print("support", dict(zip(CLASSES, cm.sum(axis=1).tolist())))
