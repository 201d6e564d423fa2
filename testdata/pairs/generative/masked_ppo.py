"""PPO with invalid-action masking and dictionary observations."""
from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Categorical


@dataclass
class Config:
    num_envs: int = 4
    horizon: int = 8
    n_cards: int = 10
    epochs: int = 2
    clip: float = 0.2
    ent_coef: float = 0.01
    device: str = field(default_factory=lambda: "cuda" if torch.cuda.is_available() else "cpu")


class CardEnv:
    """Each step a random subset of cards may be played; reward is the card's hidden value."""

    def __init__(self, cfg: Config, seed: int = 0):
        self.cfg, self.rng = cfg, np.random.default_rng(seed)
        self.values = self.rng.normal(size=cfg.n_cards).astype(np.float32)

    def observe(self) -> dict:
        n, k = self.cfg.num_envs, self.cfg.n_cards
        hand = self.rng.random((n, k)) < 0.5
        hand[np.arange(n), self.rng.integers(k, size=n)] = True
        return {
            "features": self.rng.normal(size=(n, k)).astype(np.float32),
            "turn": self.rng.integers(0, 3, size=n),
            "masks": {"play": hand, "discard": ~hand},
        }

    def step(self, actions: np.ndarray):
        return self.observe(), self.values[actions]


def to_tensors(obs: dict) -> dict:
    return {k: to_tensors(v) if isinstance(v, dict) else torch.from_numpy(v) for k, v in obs.items()}


def move(obs: dict, device) -> dict:
    return {k: v.to(device) if torch.is_tensor(v) else move(v, device) for k, v in obs.items()}


def stack(items: list[dict]) -> dict:
    first = items[0]
    return {k: stack([i[k] for i in items]) if isinstance(v, dict) else torch.cat([i[k] for i in items])
            for k, v in first.items()}


class MaskedCategorical(Categorical):
    def __init__(self, logits: torch.Tensor, mask: torch.Tensor):
        self.mask = mask
        self.floor = torch.tensor(torch.finfo(logits.dtype).min)
        super().__init__(logits=torch.where(mask, logits, self.floor))

    def entropy(self):
        p_log_p = (self.logits * self.probs).masked_fill(~self.mask, 0.0)
        return -p_log_p.sum(-1)


class ActorCritic(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.turn_emb = nn.Embedding(3, 8)
        self.body = nn.Sequential(nn.Linear(cfg.n_cards + 8, 64), nn.Tanh())
        self.pi = nn.Linear(64, cfg.n_cards)
        self.v = nn.Linear(64, 1)

    def forward(self, obs: dict):
        h = self.body(torch.cat([obs["features"], self.turn_emb(obs["turn"])], dim=-1))
        return MaskedCategorical(self.pi(h), obs["masks"]["play"]), self.v(h).squeeze(-1)


@torch.no_grad()
def collect(env: CardEnv, net: ActorCritic, cfg: Config):
    rollout, actions, logps, rewards = [], [], [], []
    obs = to_tensors(env.observe())
    for _ in range(cfg.horizon):
        dist, _ = net(move(obs, cfg.device))
        action = dist.sample()
        next_obs, reward = env.step(action.cpu().numpy())
        rollout.append(obs)
        actions.append(action)
        logps.append(dist.log_prob(action))
        rewards.append(torch.from_numpy(reward))
        obs = to_tensors(next_obs)
    return stack(rollout), torch.cat(actions), torch.cat(logps), torch.cat(rewards)


def update(net, opt, batch, cfg: Config):
    obs, actions, old_logp, returns = batch
    obs, returns = move(obs, cfg.device), returns.to(cfg.device)
    for _ in range(cfg.epochs):
        dist, value = net(obs)
        adv = (returns - value).detach()
        adv = (adv - adv.mean()) / (adv.std() + 1e-8)
        ratio = (dist.log_prob(actions) - old_logp).exp()
        pg = -torch.min(ratio * adv, ratio.clamp(1 - cfg.clip, 1 + cfg.clip) * adv).mean()
        loss = pg + 0.5 * (returns - value).pow(2).mean() - cfg.ent_coef * dist.entropy().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


if __name__ == "__main__":
    torch.manual_seed(0)
    cfg = Config()
    env, net = CardEnv(cfg), ActorCritic(cfg).to(cfg.device)
    opt = torch.optim.Adam(net.parameters(), lr=3e-4)
    for it in range(3):
        print(it, round(update(net, opt, collect(env, net, cfg), cfg), 4))
