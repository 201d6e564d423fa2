import copy
import random

import torch
import torch.nn as nn
import torch.nn.functional as F

from replay import PrioritizedReplay


class DuelingQ(nn.Module):
    def __init__(self, obs_dim, n_actions, hidden=32):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs_dim, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.adv = nn.Linear(hidden, n_actions)
        self.val = nn.Linear(hidden, 1)

    def forward(self, x):
        h = self.body(x)
        adv = self.adv(h)
        return self.val(h) + adv - adv.mean(-1, keepdim=True)


class DQNAgent:
    def __init__(self, obs_dim, n_actions, hp):
        self.hp, self.n_actions, self.device = hp, n_actions, hp["device"]
        self.q = DuelingQ(obs_dim, n_actions).to(self.device)
        self.q_target = copy.deepcopy(self.q).eval()
        self.optim = torch.optim.Adam(self.q.parameters(), lr=hp["lr"])
        self.memory = PrioritizedReplay(hp["capacity"], obs_dim, hp["alpha"], self.device)

    def act(self, obs, eps):
        if random.random() < eps:
            return random.randrange(self.n_actions)
        with torch.no_grad():
            x = torch.as_tensor(obs, device=self.device).unsqueeze(0)
            return int(self.q(x).argmax(1))

    def td_targets(self, r, s2, d):
        with torch.no_grad():
            best = self.q(s2).argmax(1, keepdim=True)
            nxt = self.q_target(s2).gather(1, best).squeeze(1)
        return r + self.hp["gamma"] * (1 - d) * nxt

    def learn(self, beta):
        (s, a, r, s2, d), idx, weights = self.memory.sample(self.hp["batch"], beta)
        q = self.q(s).gather(1, a.unsqueeze(1)).squeeze(1)
        target = self.td_targets(r, s2, d)
        per_item = F.smooth_l1_loss(q, target, reduction="none")
        loss = (weights * per_item).mean()
        self.optim.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.q.parameters(), 10.0)
        self.optim.step()
        self.memory.update_priorities(idx, (target - q).detach().cpu().numpy())
        return loss.item()

    def sync_target(self):
        self.q_target.load_state_dict(self.q.state_dict())
