import random

import numpy as np
import torch


def seed_everything(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def index_to_mask(index, size):
    mask = torch.zeros(size, dtype=torch.bool)
    mask[index] = True
    return mask


def add_self_loops(edge_index, edge_weight, num_nodes):
    loop = torch.arange(num_nodes, device=edge_index.device)
    edge_index = torch.cat([edge_index, torch.stack([loop, loop])], dim=1)
    edge_weight = torch.cat([edge_weight, edge_weight.new_ones(num_nodes)])
    return edge_index, edge_weight


def accuracy(output, labels):
    return (output.max(1)[1] == labels).double().mean().item()
