# Kaggle: tabular playground, 3-fold NN with entity embeddings + OOF
import gc
import os
import random

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import Dataset, DataLoader

class config:
    N_FOLDS = 3
    EPOCHS = 2
    TRAIN_BS = 16
    VALID_BS = 32
    LR = 5e-3
    SEED = 2021
    DEVICE = 'cuda' if torch.cuda.is_available() else 'cpu'


def seed_everything(seed):
    random.seed(seed)
    os.environ['PYTHONHASHSEED'] = str(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.cuda.manual_seed_all(seed)


def kfold(n, n_folds, seed):
    perm = np.random.RandomState(seed).permutation(n)
    for part in np.array_split(perm, n_folds):
        yield np.setdiff1d(perm, part), np.sort(part)


class TabDataset(Dataset):
    def __init__(self, cats, conts, target=None):
        self.cats, self.conts, self.target = cats, conts, target

    def __len__(self):
        return len(self.cats)

    def __getitem__(self, idx):
        item = {
            'cat': torch.tensor(self.cats[idx], dtype=torch.long),
            'cont': torch.tensor(self.conts[idx], dtype=torch.float),
        }
        if self.target is not None:
            item['y'] = torch.tensor(self.target[idx], dtype=torch.float)
        return item


class TabModel(nn.Module):
    def __init__(self, cardinalities, n_cont, hidden=24):
        super().__init__()
        dims = [min(8, (c + 1) // 2) for c in cardinalities]
        self.embs = nn.ModuleList([nn.Embedding(c, d) for c, d in zip(cardinalities, dims)])
        self.bn = nn.BatchNorm1d(n_cont)
        self.fc1 = nn.Linear(sum(dims) + n_cont, hidden)
        self.drop = nn.Dropout(0.2)
        self.out = nn.Linear(hidden, 1)

    def forward(self, cat, cont):
        x = [emb(cat[:, i]) for i, emb in enumerate(self.embs)]
        x = torch.cat(x + [self.bn(cont)], dim=1)
        return self.out(self.drop(F.relu(self.fc1(x)))).squeeze(1)


def train_fn(model, loader, optimizer, scheduler):
    model.train()
    final_loss = 0
    for data in loader:
        optimizer.zero_grad()
        outputs = model(data['cat'].to(config.DEVICE), data['cont'].to(config.DEVICE))
        loss = F.binary_cross_entropy_with_logits(outputs, data['y'].to(config.DEVICE))
        loss.backward()
        optimizer.step()
        scheduler.step()
        final_loss += loss.item()
    return final_loss / len(loader)


@torch.no_grad()
def inference_fn(model, loader):
    model.eval()
    preds = []
    for data in loader:
        outputs = model(data['cat'].to(config.DEVICE), data['cont'].to(config.DEVICE))
        preds.append(outputs.sigmoid().cpu())
    return torch.cat(preds)


def auc(y_true, y_score):
    order = np.argsort(y_score, kind='mergesort')
    ranks = np.empty(len(order))
    ranks[order] = np.arange(1, len(order) + 1)
    pos = y_true == 1
    return (ranks[pos].sum() - pos.sum() * (pos.sum() + 1) / 2) / (pos.sum() * (~pos).sum())


seed_everything(config.SEED)
N, N_TEST, CARDS = 150, 40, [4, 7, 10]
cats = np.stack([np.random.randint(0, c, N + N_TEST) for c in CARDS], 1)
conts = np.random.randn(N + N_TEST, 3)
target = ((conts[:, 0] + (cats[:, 1] > 3) + 0.5 * np.random.randn(N + N_TEST)) > 0.5).astype(np.float32)

oof = torch.zeros(N)
test_preds = torch.zeros(N_TEST)
test_dl = DataLoader(TabDataset(cats[N:], conts[N:]), batch_size=config.VALID_BS)

for fold, (tr_idx, va_idx) in enumerate(kfold(N, config.N_FOLDS, config.SEED)):
    tr_dl = DataLoader(TabDataset(cats[tr_idx], conts[tr_idx], target[tr_idx]), batch_size=config.TRAIN_BS, shuffle=True)
    va_dl = DataLoader(TabDataset(cats[va_idx], conts[va_idx], target[va_idx]), batch_size=config.VALID_BS)
    model = TabModel(CARDS, conts.shape[1]).to(config.DEVICE)
    optimizer = torch.optim.Adam(model.parameters(), lr=config.LR, weight_decay=1e-5)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1e-2, epochs=config.EPOCHS,
                                                    steps_per_epoch=len(tr_dl))
    for epoch in range(config.EPOCHS):
        loss = train_fn(model, tr_dl, optimizer, scheduler)
        print(f'FOLD {fold} EPOCH {epoch} loss {loss:.4f}')
    oof[va_idx] = inference_fn(model, va_dl)
    test_preds += inference_fn(model, test_dl) / config.N_FOLDS
    del model, optimizer
    gc.collect()

print('CV AUC: %.4f' % auc(target[:N], oof.numpy()))
submission = (test_preds > 0.5).long().tolist()
print(submission[:10])
