import torch

from utils import move_batch, token_accuracy


def train_epoch(model, iterator, optimizer, device):
    model.train()
    total = 0.
    for batch in iterator:
        batch = move_batch(batch, device)
        optimizer.zero_grad()
        loss = model.loss(batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        total += loss.item()
    return total / len(iterator)


def evaluate(model, iterator, device):
    model.eval()
    n_ok, n_all = 0, 0
    with torch.no_grad():
        for batch in iterator:
            batch = move_batch(batch, device)
            ok, n = token_accuracy(model(batch).argmax(-1), batch['tags'], batch['mask'])
            n_ok, n_all = n_ok + ok, n_all + n
    return n_ok / n_all


def fit(model, train_it, dev_it, args, device):
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    best = 0.
    for ep in range(1, args.epochs + 1):
        loss = train_epoch(model, train_it, optimizer, device)
        acc = evaluate(model, dev_it, device)
        best = max(best, acc)
        print('epoch %d loss %.3f dev %.3f' % (ep, loss, acc))
    return best
