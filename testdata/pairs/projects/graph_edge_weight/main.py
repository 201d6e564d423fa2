from __future__ import print_function

import time

import torch
import torch.nn.functional as F

from gnn.data import random_sbm_graph
from gnn.models import GCN
from gnn.options import opt
from gnn.utils import accuracy, seed_everything


def train(epoch, model, optimizer, graph):
    t = time.time()
    model.train()
    optimizer.zero_grad()
    out = model(graph.x, graph.edge_index, graph.edge_weight)
    loss = F.nll_loss(out[graph.train_mask], graph.y[graph.train_mask])
    loss.backward()
    optimizer.step()
    model.eval()
    with torch.no_grad():
        out = model(graph.x, graph.edge_index, graph.edge_weight)
        val = accuracy(out[graph.val_mask], graph.y[graph.val_mask])
    print('Epoch: {:03d} loss: {:.4f} val: {:.4f} time: {:.3f}s'.format(epoch, loss.item(), val, time.time() - t))


def main():
    seed_everything(opt.seed)
    device = torch.device('cuda:%d' % opt.gpu if opt.gpu >= 0 and torch.cuda.is_available() else 'cpu')
    graph = random_sbm_graph(opt.nodes, opt.blocks, opt.feat, weighted=not opt.unweighted)
    graph = graph.to(device)
    model = GCN(opt.feat, opt.hidden, opt.blocks, opt.dropout).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=opt.lr, weight_decay=5e-4)
    for epoch in range(opt.epochs):
        train(epoch, model, optimizer, graph)


if __name__ == '__main__':
    main()
