"""Massively parallel locomotion-style training loop: simulation and learner may live on different devices."""
from typing import Dict, Tuple

import torch
import torch.nn as nn
import torch.optim as optim
from torch.distributions import Normal


class CartEnv:
    def __init__(self, num_envs: int, sim_device: str, rl_device: str, max_len: int = 12):
        self.num_envs = num_envs
        self.sim_device = sim_device
        self.rl_device = rl_device
        self.max_len = max_len
        self.state = torch.zeros(num_envs, 4, device=sim_device)
        self.progress_buf = torch.zeros(num_envs, dtype=torch.long, device=sim_device)
        self.extras: Dict[str, torch.Tensor] = {}
        self.reset_idx(torch.arange(num_envs, device=sim_device))

    def reset_idx(self, env_ids: torch.Tensor) -> None:
        self.state[env_ids] = 0.1 * torch.randn(len(env_ids), 4, device=self.sim_device)
        self.progress_buf[env_ids] = torch.randint(0, self.max_len // 2, (len(env_ids),), device=self.sim_device)

    def observe(self) -> torch.Tensor:
        return self.state.clone().to(self.rl_device)

    def step(self, actions: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor, Dict]:
        force = actions.to(self.sim_device).clamp(-1.0, 1.0).squeeze(-1)
        pos, vel, theta, omega = self.state.unbind(-1)
        omega = omega + 0.05 * (9.8 * torch.sin(theta) - force)
        vel = vel + 0.05 * force
        self.state = torch.stack([pos + 0.05 * vel, vel, theta + 0.05 * omega, omega], dim=-1)
        self.progress_buf += 1
        rew = 1.0 - self.state[:, 2].square() - 0.01 * force.square()
        fallen = self.state[:, 2].abs() > 0.4
        timeout = self.progress_buf >= self.max_len
        dones = fallen | timeout
        env_ids = dones.nonzero(as_tuple=False).flatten()
        if len(env_ids) > 0:
            self.reset_idx(env_ids)
        self.extras["time_outs"] = timeout & ~fallen
        return self.observe(), rew.to(self.rl_device), dones.to(self.rl_device), self.extras


class RolloutStorage:
    def __init__(self, horizon: int, num_envs: int, obs_dim: int, act_dim: int, device: str):
        self.device = device
        self.obs = torch.zeros(horizon, num_envs, obs_dim, device=device)
        self.actions = torch.zeros(horizon, num_envs, act_dim, device=device)
        self.rewards = torch.zeros(horizon, num_envs, device=device)
        self.dones = torch.zeros(horizon, num_envs, device=device)
        self.values = torch.zeros(horizon, num_envs, device=device)
        self.step = 0

    def add(self, obs, actions, rewards, dones, values):
        i = self.step
        self.obs[i].copy_(obs)
        self.actions[i].copy_(actions)
        self.rewards[i].copy_(rewards)
        self.dones[i].copy_(dones)
        self.values[i].copy_(values)
        self.step += 1

    def compute_returns(self, last_values, gamma: float, lam: float):
        adv = 0
        returns = torch.zeros_like(self.rewards)
        for t in reversed(range(self.step)):
            nxt = last_values if t == self.step - 1 else self.values[t + 1]
            not_done = 1.0 - self.dones[t]
            delta = self.rewards[t] + not_done * gamma * nxt - self.values[t]
            adv = delta + not_done * gamma * lam * adv
            returns[t] = adv + self.values[t]
        self.step = 0
        return returns, returns - self.values


class Runner:
    def __init__(self, env: CartEnv, device: str, horizon: int = 8, gamma: float = 0.99):
        self.env, self.device, self.horizon, self.gamma = env, device, horizon, gamma
        self.actor = nn.Sequential(nn.Linear(4, 32), nn.ELU(), nn.Linear(32, 1)).to(device)
        self.critic = nn.Sequential(nn.Linear(4, 32), nn.ELU(), nn.Linear(32, 1)).to(device)
        self.std = nn.Parameter(torch.ones(1, device=device))
        params = [*self.actor.parameters(), *self.critic.parameters(), self.std]
        self.optimizer = optim.Adam(params, lr=1e-3)
        self.storage = RolloutStorage(horizon, env.num_envs, 4, 1, device)

    def process_env_step(self, obs, actions, values, rewards, dones, infos):
        rewards = rewards.clone()
        if "time_outs" in infos:
            rewards += self.gamma * values * infos["time_outs"].to(self.device)
        self.storage.add(obs, actions, rewards, dones, values)

    def learn(self, iterations: int) -> None:
        obs = self.env.observe()
        for it in range(iterations):
            with torch.inference_mode():
                for _ in range(self.horizon):
                    actions = Normal(self.actor(obs), self.std).sample()
                    values = self.critic(obs).squeeze(-1)
                    next_obs, rewards, dones, infos = self.env.step(actions)
                    self.process_env_step(obs, actions, values, rewards, dones, infos)
                    obs = next_obs
                returns, adv = self.storage.compute_returns(self.critic(obs).squeeze(-1), self.gamma, 0.95)
            adv = (adv - adv.mean()) / (adv.std() + 1e-8)
            logp = Normal(self.actor(self.storage.obs), self.std).log_prob(self.storage.actions).squeeze(-1)
            loss = -(logp * adv).mean() + (self.critic(self.storage.obs).squeeze(-1) - returns).square().mean()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            print(f"it {it:03d} reward {self.storage.rewards.mean().item():.3f}")


if __name__ == "__main__":
    torch.manual_seed(0)
    rl_device = "cuda:0" if torch.cuda.is_available() else "cpu"
    Runner(CartEnv(16, sim_device="cpu", rl_device=rl_device), device=rl_device).learn(3)
