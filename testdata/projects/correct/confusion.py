"""Scores of a classifier in NumPy, after the tensors came back to the CPU."""

import numpy as np
import torch
from torch import nn


def predict(model, batches, device):
    scores, labels = [], []
    with torch.no_grad():
        for x, y in batches:
            logits = model(x.to(device))
            scores.append(logits.softmax(dim=1).cpu().numpy())
            labels.append(y.numpy())
    return np.concatenate(scores), np.concatenate(labels)


def confusion_matrix(predicted, target, classes, device):
    matrix = torch.zeros(classes, classes, dtype=torch.long, device=device)
    ones = torch.ones_like(predicted)
    matrix.index_put_((target, predicted), ones, accumulate=True)
    return matrix


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Linear(5, 3)
    model.to(device)
    batches = [(torch.randn(4, 5), torch.randint(0, 3, (4,))) for _ in range(3)]
    scores, labels = predict(model, batches, device)
    accuracy = np.mean(scores.argmax(axis=1) == labels)

    x = torch.cat([x for x, _ in batches]).to(device)
    y = torch.cat([y for _, y in batches]).to(device)
    output = model(x)
    matrix = confusion_matrix(output.argmax(dim=1), y, 3, device)
    table = matrix.cpu().numpy()
    hardest = output.detach().cpu().numpy().max(axis=1).argmin()
    print(accuracy, table.sum(), hardest, np.asarray(matrix.diag().cpu()))


if __name__ == "__main__":
    main()
