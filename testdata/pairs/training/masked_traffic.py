import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim


def masked_mae(preds, labels, null_val=np.nan):
    if np.isnan(null_val):
        mask = ~torch.isnan(labels)
    else:
        mask = (labels != null_val)
    mask = mask.float()
    mask /= torch.mean(mask)
    mask = torch.where(torch.isnan(mask), torch.zeros_like(mask), mask)
    loss = torch.abs(preds - labels)
    loss = loss * mask
    loss = torch.where(torch.isnan(loss), torch.zeros_like(loss), loss)
    return torch.mean(loss)


class StandardScaler():
    def __init__(self, mean, std):
        self.mean = mean
        self.std = std

    def transform(self, data):
        return (data - self.mean) / self.std

    def inverse_transform(self, data):
        return (data * self.std) + self.mean


class DataLoader(object):
    def __init__(self, xs, ys, batch_size):
        self.batch_size = batch_size
        self.num_batch = len(xs) // batch_size
        self.xs, self.ys = xs, ys

    def shuffle(self):
        permutation = np.random.permutation(len(self.xs))
        self.xs, self.ys = self.xs[permutation], self.ys[permutation]

    def get_iterator(self):
        for i in range(self.num_batch):
            s = slice(i * self.batch_size, (i + 1) * self.batch_size)
            yield self.xs[s], self.ys[s]


class GraphConv(nn.Module):
    def __init__(self, c_in, c_out, supports):
        super(GraphConv, self).__init__()
        self.register_buffer("adj", supports)
        self.lin = nn.Linear(2 * c_in, c_out)

    def forward(self, x):
        h = torch.einsum("btnc,nm->btmc", x, self.adj)
        return self.lin(torch.cat([x, h], dim=-1))


class STNet(nn.Module):
    def __init__(self, num_nodes, seq, horizon, supports, hid=8):
        super(STNet, self).__init__()
        self.gc = GraphConv(1, hid, supports)
        self.temporal = nn.Linear(seq * hid, horizon)

    def forward(self, x):
        h = torch.relu(self.gc(x))
        b, t, n, c = h.shape
        return self.temporal(h.permute(0, 2, 1, 3).reshape(b, n, t * c)).transpose(1, 2)


class trainer():
    def __init__(self, scaler, num_nodes, lrate, wdecay, device, supports):
        self.model = STNet(num_nodes, 6, 3, supports)
        self.model.to(device)
        self.optimizer = optim.Adam(self.model.parameters(), lr=lrate, weight_decay=wdecay)
        self.loss = masked_mae
        self.scaler = scaler
        self.clip = 5

    def train(self, input, real_val):
        self.model.train()
        self.optimizer.zero_grad()
        output = self.model(input)
        predict = self.scaler.inverse_transform(output)
        loss = self.loss(predict, real_val, 0.0)
        loss.backward()
        if self.clip is not None:
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)
        self.optimizer.step()
        return loss.item()


def main():
    np.random.seed(0)
    torch.manual_seed(0)
    device = torch.device('cuda:0' if torch.cuda.is_available() else 'cpu')
    num_nodes = 7
    flow = np.abs(np.random.randn(60, num_nodes) * 10 + 50)
    flow[np.random.rand(*flow.shape) < 0.1] = 0.0
    scaler = StandardScaler(mean=flow[flow > 0].mean(), std=flow[flow > 0].std())
    x = np.stack([flow[i:i + 6] for i in range(50)])[..., None]
    y = np.stack([flow[i + 6:i + 9] for i in range(50)])
    loader = DataLoader(scaler.transform(x), y, 10)
    adj = np.random.rand(num_nodes, num_nodes).astype(np.float32)
    adj = torch.from_numpy(adj / adj.sum(0, keepdims=True))
    engine = trainer(scaler, num_nodes, 0.01, 1e-4, device, adj)
    for epoch in range(1, 3):
        train_loss = []
        loader.shuffle()
        for x, y in loader.get_iterator():
            trainx = torch.Tensor(x).to(device)
            trainy = torch.Tensor(y).to(device)
            train_loss.append(engine.train(trainx, trainy))
        print('Epoch: {:03d}, Train Loss: {:.4f}'.format(epoch, np.mean(train_loss)), flush=True)


if __name__ == "__main__":
    main()
