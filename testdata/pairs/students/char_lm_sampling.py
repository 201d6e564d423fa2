# Character-level LSTM on "Anna Karenina"-like text
import numpy as np
import torch
from torch import nn
import torch.nn.functional as F

text = ("all happy families are alike; every unhappy family is unhappy in its own way. " * 12)
chars = tuple(sorted(set(text)))
int2char = dict(enumerate(chars))
char2int = {ch: ii for ii, ch in int2char.items()}
encoded = np.array([char2int[ch] for ch in text])

train_on_gpu = torch.cuda.is_available()
print('Training on GPU!' if train_on_gpu else 'No GPU available, training on CPU.')


def one_hot_encode(arr, n_labels):
    one_hot = np.zeros((arr.size, n_labels), dtype=np.float32)
    one_hot[np.arange(one_hot.shape[0]), arr.flatten()] = 1.
    return one_hot.reshape((*arr.shape, n_labels))


def get_batches(arr, batch_size, seq_length):
    batch_size_total = batch_size * seq_length
    n_batches = len(arr) // batch_size_total
    arr = arr[:n_batches * batch_size_total].reshape((batch_size, -1))
    for n in range(0, arr.shape[1], seq_length):
        x = arr[:, n:n + seq_length]
        y = np.zeros_like(x)
        y[:, :-1] = x[:, 1:]
        y[:, -1] = arr[:, n + seq_length] if n + seq_length < arr.shape[1] else arr[:, 0]
        yield x, y


class CharRNN(nn.Module):

    def __init__(self, tokens, n_hidden=32, n_layers=2, drop_prob=0.5, lr=0.001):
        super().__init__()
        self.drop_prob = drop_prob
        self.n_layers = n_layers
        self.n_hidden = n_hidden
        self.chars = tokens
        self.lstm = nn.LSTM(len(self.chars), n_hidden, n_layers, dropout=drop_prob, batch_first=True)
        self.dropout = nn.Dropout(drop_prob)
        self.fc = nn.Linear(n_hidden, len(self.chars))

    def forward(self, x, hidden):
        r_output, hidden = self.lstm(x, hidden)
        out = self.dropout(r_output).contiguous().view(-1, self.n_hidden)
        return self.fc(out), hidden

    def init_hidden(self, batch_size):
        weight = next(self.parameters()).data
        return (weight.new(self.n_layers, batch_size, self.n_hidden).zero_(),
                weight.new(self.n_layers, batch_size, self.n_hidden).zero_())


def train(net, data, epochs=2, batch_size=4, seq_length=20, lr=0.01, clip=5):
    net.train()
    opt = torch.optim.Adam(net.parameters(), lr=lr)
    criterion = nn.CrossEntropyLoss()
    if train_on_gpu:
        net.cuda()
    n_chars = len(net.chars)
    for e in range(epochs):
        h = net.init_hidden(batch_size)
        losses = []
        for x, y in get_batches(data, batch_size, seq_length):
            inputs, targets = torch.from_numpy(one_hot_encode(x, n_chars)), torch.from_numpy(y)
            if train_on_gpu:
                inputs, targets = inputs.cuda(), targets.cuda()
            h = tuple([each.data for each in h])
            net.zero_grad()
            output, h = net(inputs, h)
            loss = criterion(output, targets.view(batch_size * seq_length).long())
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), clip)
            opt.step()
            losses.append(loss.item())
        print("Epoch: {}/{}...".format(e + 1, epochs), "Loss: {:.4f}".format(np.mean(losses)))


def predict(net, char, h=None, top_k=None):
    x = one_hot_encode(np.array([[char2int[char]]]), len(net.chars))
    inputs = torch.from_numpy(x)
    if train_on_gpu:
        inputs = inputs.cuda()
    h = tuple([each.data for each in h])
    out, h = net(inputs, h)
    p = F.softmax(out, dim=1).data
    if top_k is None:
        p = p.cpu()
        top_ch = np.arange(len(net.chars))
    else:
        p, top_ch = p.cpu().topk(top_k)
        top_ch = top_ch.numpy().squeeze()
    p = p.numpy().squeeze().astype(np.float64)
    char = np.random.choice(top_ch, p=p / p.sum())
    return int2char[int(char)], h


def sample(net, size, prime='all', top_k=None):
    net.eval()
    chars = [ch for ch in prime]
    h = net.init_hidden(1)
    with torch.no_grad():
        for ch in prime:
            char, h = predict(net, ch, h, top_k=top_k)
        chars.append(char)
        for _ in range(size):
            char, h = predict(net, chars[-1], h, top_k=top_k)
            chars.append(char)
    return ''.join(chars)


net = CharRNN(chars)
train(net, encoded)
print(sample(net, 40, prime='all', top_k=5))
print(sample(net, 40, prime='every'))
