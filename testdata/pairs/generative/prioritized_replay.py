"""DQN with proportional prioritised replay on a toy gridworld."""
import argparse
import copy
import math
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class GridWorld:
    def __init__(self, size=5, max_steps=20):
        self.size, self.max_steps = size, max_steps

    def reset(self):
        self.pos = np.zeros(2, dtype=np.int64)
        self.t = 0
        return self._obs()

    def _obs(self):
        return (self.pos / (self.size - 1)).astype(np.float32)

    def step(self, action):
        delta = [(0, 1), (0, -1), (1, 0), (-1, 0)][action]
        self.pos = np.clip(self.pos + delta, 0, self.size - 1)
        self.t += 1
        done = bool((self.pos == self.size - 1).all())
        return self._obs(), (1.0 if done else -0.01), done or self.t >= self.max_steps


@dataclass
class Transitions:
    obs: torch.Tensor
    action: torch.Tensor
    reward: torch.Tensor
    next_obs: torch.Tensor
    done: torch.Tensor


class PrioritizedReplay:
    """Transitions live in host memory (they can be large); priorities live next to the learner."""

    def __init__(self, capacity, obs_dim, device, alpha=0.6, beta=0.4):
        self.capacity, self.device = capacity, device
        self.alpha, self.beta = alpha, beta
        self.obs = torch.zeros(capacity, obs_dim)
        self.next_obs = torch.zeros(capacity, obs_dim)
        self.action = torch.zeros(capacity, dtype=torch.long)
        self.reward = torch.zeros(capacity)
        self.done = torch.zeros(capacity)
        self.priorities = torch.zeros(capacity, device=device)
        self.max_priority = 1.0
        self.pos = self.size = 0

    def add(self, obs, action, reward, next_obs, done):
        i = self.pos
        self.obs[i] = torch.from_numpy(obs)
        self.next_obs[i] = torch.from_numpy(next_obs)
        self.action[i] = action
        self.reward[i] = reward
        self.done[i] = float(done)
        self.priorities[i] = self.max_priority
        self.pos = (i + 1) % self.capacity
        self.size = min(self.size + 1, self.capacity)

    def sample(self, batch_size):
        probs = self.priorities[: self.size] ** self.alpha
        probs = probs / probs.sum()
        idx = torch.multinomial(probs, batch_size, replacement=True)
        weights = (self.size * probs[idx]) ** (-self.beta)
        weights = weights / weights.max()
        batch = self._gather(idx.cpu())
        return batch, idx, weights

    def _gather(self, idx):
        fields = (self.obs, self.action, self.reward, self.next_obs, self.done)
        return Transitions(*(f[idx].to(self.device, non_blocking=True) for f in fields))

    def update_priorities(self, idx, td_error):
        prio = td_error.abs() + 1e-5
        self.priorities[idx] = prio
        self.max_priority = max(self.max_priority, prio.max().item())


def make_q(obs_dim, n_actions):
    return nn.Sequential(nn.Linear(obs_dim, 32), nn.ReLU(), nn.Linear(32, n_actions))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    args = parser.parse_args()

    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    env = GridWorld()
    q = make_q(2, 4).to(args.device)
    q_target = copy.deepcopy(q)
    opt = torch.optim.Adam(q.parameters(), lr=1e-3)
    replay = PrioritizedReplay(256, 2, args.device)

    obs = env.reset()
    for step in range(args.steps):
        eps = 0.05 + 0.95 * math.exp(-step / 30)
        if rng.random() < eps:
            action = int(rng.integers(4))
        else:
            with torch.no_grad():
                action = q(torch.as_tensor(obs, device=args.device)).argmax().item()
        next_obs, reward, done = env.step(action)
        replay.add(obs, action, reward, next_obs, done)
        obs = env.reset() if done else next_obs

        if replay.size < args.batch_size:
            continue
        batch, idx, weights = replay.sample(args.batch_size)
        with torch.no_grad():
            target = batch.reward + 0.99 * (1 - batch.done) * q_target(batch.next_obs).max(1).values
        pred = q(batch.obs).gather(1, batch.action.unsqueeze(1)).squeeze(1)
        loss = (weights * F.smooth_l1_loss(pred, target, reduction="none")).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        replay.update_priorities(idx, (target - pred).detach())
        if step % 20 == 0:
            q_target.load_state_dict(q.state_dict())
            print(f"step {step} loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
