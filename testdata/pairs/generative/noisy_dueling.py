import math
import random
from collections import deque

import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class NoisyLinear(nn.Module):
    """Factorised Gaussian noise (Fortunato et al., 2018)."""

    def __init__(self, in_features, out_features, std_init=0.5):
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.std_init = std_init
        self.weight_mu = nn.Parameter(torch.empty(out_features, in_features))
        self.weight_sigma = nn.Parameter(torch.empty(out_features, in_features))
        self.register_buffer("weight_epsilon", torch.zeros(out_features, in_features))
        self.bias_mu = nn.Parameter(torch.empty(out_features))
        self.bias_sigma = nn.Parameter(torch.empty(out_features))
        self.register_buffer("bias_epsilon", torch.zeros(out_features))
        self.reset_parameters()
        self.reset_noise()

    def reset_parameters(self):
        mu_range = 1 / math.sqrt(self.in_features)
        self.weight_mu.data.uniform_(-mu_range, mu_range)
        self.weight_sigma.data.fill_(self.std_init / math.sqrt(self.in_features))
        self.bias_mu.data.uniform_(-mu_range, mu_range)
        self.bias_sigma.data.fill_(self.std_init / math.sqrt(self.out_features))

    @staticmethod
    def _scale_noise(size):
        x = torch.randn(size)
        return x.sign().mul_(x.abs().sqrt_())

    def reset_noise(self):
        epsilon_in = self._scale_noise(self.in_features)
        epsilon_out = self._scale_noise(self.out_features)
        self.weight_epsilon.copy_(torch.outer(epsilon_out, epsilon_in))
        self.bias_epsilon.copy_(epsilon_out)

    def forward(self, x):
        if not self.training:
            return F.linear(x, self.weight_mu, self.bias_mu)
        weight = self.weight_mu + self.weight_sigma * self.weight_epsilon
        bias = self.bias_mu + self.bias_sigma * self.bias_epsilon
        return F.linear(x, weight, bias)


class DuelingNet(nn.Module):
    def __init__(self, obs_dim, n_actions, hidden=32):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(obs_dim, hidden), nn.ReLU())
        self.value = nn.Sequential(NoisyLinear(hidden, hidden), nn.ReLU(), NoisyLinear(hidden, 1))
        self.adv = nn.Sequential(NoisyLinear(hidden, hidden), nn.ReLU(), NoisyLinear(hidden, n_actions))

    def forward(self, obs):
        h = self.trunk(obs)
        adv = self.adv(h)
        return self.value(h) + adv - adv.mean(1, keepdim=True)

    def reset_noise(self):
        for m in self.modules():
            if isinstance(m, NoisyLinear):
                m.reset_noise()


class Memory:
    def __init__(self, maxlen):
        self.data = deque(maxlen=maxlen)

    def push(self, *transition):
        self.data.append(transition)

    def sample(self, n):
        s, a, r, s2, d = zip(*random.sample(self.data, n))
        return (torch.stack(s).to(device), torch.tensor(a, device=device), torch.tensor(r, device=device),
                torch.stack(s2).to(device), torch.tensor(d, dtype=torch.float32, device=device))


def train_step(online, target, optimizer, batch, gamma=0.99):
    s, a, r, s2, d = batch
    online.reset_noise()
    target.reset_noise()
    with torch.no_grad():
        best = online(s2).argmax(1, keepdim=True)
        y = r + gamma * (1 - d) * target(s2).gather(1, best).squeeze(1)
    q = online(s).gather(1, a.unsqueeze(1)).squeeze(1)
    loss = F.smooth_l1_loss(q, y)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(online.parameters(), 10.0)
    optimizer.step()
    return loss.item()


def main():
    torch.manual_seed(3)
    random.seed(3)
    online = DuelingNet(4, 3).to(device)
    target = DuelingNet(4, 3).to(device)
    target.load_state_dict(online.state_dict())
    optimizer = torch.optim.Adam(online.parameters(), lr=6.25e-5)
    memory = Memory(500)

    state = torch.randn(4)
    for frame in range(1, 41):
        with torch.no_grad():
            action = online(state.to(device).unsqueeze(0)).argmax(1).item()
        next_state = 0.9 * state + 0.1 * torch.randn(4)
        memory.push(state, action, float(next_state.sum()), next_state, frame % 10 == 0)
        state = next_state
        if frame >= 16 and frame % 4 == 0:
            loss = train_step(online, target, optimizer, memory.sample(8))
            print("frame %d loss %.4f" % (frame, loss))


if __name__ == "__main__":
    main()
