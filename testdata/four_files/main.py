import torch
from torch import nn

from data import class_weights, make_loaders
from engine import evaluate, make_optimizer, restore, save, train_epoch
from model import Net


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    train, test = make_loaders(8)
    model = Net()
    model.to(device)
    optimizer = make_optimizer(model, 1e-3)
    criterion = nn.CrossEntropyLoss(weight=class_weights().to(device))
    for _ in range(3):
        train_epoch(model, train, optimizer, criterion, device)
    scores = evaluate(model, test, device)
    print(scores.cpu().numpy().mean())
    save(model, "net.pt")
    restore(model, "net.pt")


if __name__ == "__main__":
    main()
