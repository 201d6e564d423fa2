"""Semi-supervised node classification with Chebyshev filters (full batch)."""
import argparse

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

parser = argparse.ArgumentParser()
parser.add_argument('--no-cuda', action='store_true', default=False)
parser.add_argument('--seed', type=int, default=42)
parser.add_argument('--epochs', type=int, default=4)
parser.add_argument('--order', type=int, default=3)
parser.add_argument('--hidden', type=int, default=16)
args = parser.parse_args()
args.cuda = not args.no_cuda and torch.cuda.is_available()
args.device = torch.device('cuda' if args.cuda else 'cpu')

np.random.seed(args.seed)
torch.manual_seed(args.seed)


def stochastic_block_model(sizes=(15, 15, 15), p_in=0.4, p_out=0.03):
    labels = np.repeat(np.arange(len(sizes)), sizes)
    n = len(labels)
    prob = np.where(labels[:, None] == labels[None, :], p_in, p_out)
    upper = np.triu(np.random.rand(n, n) < prob, 1)
    return (upper | upper.T), labels


def scaled_laplacian(adj):
    """2L / lambda_max - I with lambda_max ~ 2, i.e. -D^-1/2 A D^-1/2, as a sparse tensor."""
    rows, cols = np.nonzero(adj)
    deg = adj.sum(1).clip(min=1).astype(np.float32)
    vals = -1.0 / np.sqrt(deg[rows] * deg[cols])
    indices = torch.from_numpy(np.vstack((rows, cols)).astype(np.int64))
    return torch.sparse_coo_tensor(indices, torch.from_numpy(vals), adj.shape).coalesce()


def load_data():
    adj, labels = stochastic_block_model()
    n = len(labels)
    features = torch.eye(n) + 0.1 * torch.randn(n, n)
    features = features / features.abs().sum(1, keepdim=True)
    order = np.random.permutation(n)
    idx_train, idx_val = torch.LongTensor(order[:12]), torch.LongTensor(order[12:])
    return scaled_laplacian(adj), features, torch.LongTensor(labels), idx_train, idx_val


class ChebConv(nn.Module):
    def __init__(self, in_features, out_features, K):
        super().__init__()
        self.K = K
        self.weight = nn.Parameter(torch.empty(K, in_features, out_features))
        self.bias = nn.Parameter(torch.zeros(out_features))
        nn.init.xavier_uniform_(self.weight)

    def forward(self, x, lap):
        terms = [x]
        if self.K > 1:
            terms.append(torch.spmm(lap, x))
        for _ in range(2, self.K):
            terms.append(2 * torch.spmm(lap, terms[-1]) - terms[-2])
        return torch.einsum('kni,kio->no', torch.stack(terms), self.weight) + self.bias


class ChebNet(nn.Module):
    def __init__(self, nfeat, nhid, nclass, K, dropout=0.5):
        super().__init__()
        self.gc1 = ChebConv(nfeat, nhid, K)
        self.gc2 = ChebConv(nhid, nclass, K)
        self.dropout = dropout

    def forward(self, x, lap):
        x = F.relu(self.gc1(x, lap))
        x = F.dropout(x, self.dropout, training=self.training)
        return F.log_softmax(self.gc2(x, lap), dim=1)


def accuracy(output, labels):
    preds = output.max(1)[1].type_as(labels)
    return preds.eq(labels).double().sum().item() / len(labels)


lap, features, labels, idx_train, idx_val = load_data()
model = ChebNet(features.shape[1], args.hidden, int(labels.max()) + 1, args.order)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)

model.to(args.device)
lap = lap.to(args.device)
features = features.to(args.device)
labels = labels.to(args.device)


def train(epoch):
    model.train()
    optimizer.zero_grad()
    output = model(features, lap)
    loss_train = F.nll_loss(output[idx_train], labels[idx_train])
    loss_train.backward()
    optimizer.step()

    model.eval()
    with torch.no_grad():
        output = model(features, lap)
    loss_val = F.nll_loss(output[idx_val], labels[idx_val])
    print('Epoch: {:04d}'.format(epoch + 1),
          'loss_train: {:.4f}'.format(loss_train.item()),
          'loss_val: {:.4f}'.format(loss_val.item()),
          'acc_val: {:.4f}'.format(accuracy(output[idx_val], labels[idx_val])))
    return loss_val.item()


best = np.inf
for epoch in range(args.epochs):
    best = min(best, train(epoch))
print('best val loss', round(best, 4))
