"""Collecting experience from several environments at once."""
import collections
import time

import numpy as np
import torch
from torch.distributions import Categorical, Normal


class VectorEnv:
    """Runs a list of environments in this process.

    Environments follow the old gym interface: ``reset() -> obs`` and
    ``step(action) -> obs, reward, done, info``.
    """

    def __init__(self, env_fns):
        if not env_fns:
            raise ValueError("need at least one environment")
        self.envs = [fn() for fn in env_fns]
        self.num_envs = len(self.envs)
        self._pending = None

    def reset(self):
        return np.stack([env.reset() for env in self.envs])

    def step_async(self, actions):
        if self._pending is not None:
            raise RuntimeError("step_async called twice")
        self._pending = np.asarray(actions)

    def step_wait(self):
        actions, self._pending = self._pending, None
        results = [env.step(a) for env, a in zip(self.envs, actions)]
        obs, rewards, dones, infos = zip(*results)
        obs = [env.reset() if d else o for env, o, d in zip(self.envs, obs, dones)]
        return np.stack(obs), np.asarray(rewards, np.float32), np.asarray(dones), list(infos)

    def step(self, actions):
        self.step_async(actions)
        return self.step_wait()


class Policy(torch.nn.Module):
    """Base class of actors. Subclasses return the parameters of the action distribution."""

    discrete = True

    def distribution(self, obs):
        params = self(obs)
        if self.discrete:
            return Categorical(logits=params)
        mean, log_std = params.chunk(2, dim=-1)
        return Normal(mean, log_std.clamp(-5, 2).exp())

    @torch.no_grad()
    def act(self, obs, deterministic=False):
        dist = self.distribution(obs)
        if deterministic:
            action = dist.probs.argmax(-1) if self.discrete else dist.mean
        else:
            action = dist.sample()
        log_prob = dist.log_prob(action)
        if not self.discrete:
            log_prob = log_prob.sum(-1)
        return action, log_prob


class EpisodeStats:
    def __init__(self, num_envs, window=100):
        self.returns = np.zeros(num_envs)
        self.lengths = np.zeros(num_envs, dtype=int)
        self.history = collections.deque(maxlen=window)

    def update(self, rewards, dones):
        self.returns += rewards
        self.lengths += 1
        for i in np.flatnonzero(dones):
            self.history.append((self.returns[i], self.lengths[i]))
            self.returns[i] = 0.0
            self.lengths[i] = 0

    def summary(self):
        if not self.history:
            return {}
        returns, lengths = map(np.asarray, zip(*self.history))
        return {"return": returns.mean(), "length": lengths.mean()}


class Collector:
    """Steps ``env`` with ``policy`` and returns time-major tensors on the policy's device."""

    def __init__(self, policy, env, device="cpu", preprocess=None):
        self.policy = policy
        self.env = env
        self.device = torch.device(device)
        self.preprocess = preprocess
        self.stats = EpisodeStats(env.num_envs)
        self._obs = None

    def _to_tensor(self, array):
        if self.preprocess is not None:
            array = self.preprocess(array)
        return torch.as_tensor(array, dtype=torch.float32, device=self.device)

    def collect(self, n_steps):
        if self._obs is None:
            self._obs = self.env.reset()
        start = time.time()
        rollout = collections.defaultdict(list)
        for _ in range(n_steps):
            obs = self._to_tensor(self._obs)
            actions, log_probs = self.policy.act(obs)
            next_obs, rewards, dones, _ = self.env.step(actions.cpu().numpy())
            rollout["obs"].append(obs)
            rollout["actions"].append(actions)
            rollout["log_probs"].append(log_probs)
            rollout["rewards"].append(torch.from_numpy(rewards))
            rollout["dones"].append(torch.from_numpy(dones))
            self.stats.update(rewards, dones)
            self._obs = next_obs
        batch = {k: torch.stack(v).to(self.device) for k, v in rollout.items()}
        fps = n_steps * self.env.num_envs / max(time.time() - start, 1e-6)
        return batch, dict(self.stats.summary(), fps=fps)


def discounted_returns(rewards, dones, gamma=0.99, bootstrap=None):
    running = torch.zeros_like(rewards[0]) if bootstrap is None else bootstrap
    out = torch.empty_like(rewards)
    for t in reversed(range(len(rewards))):
        running = rewards[t] + gamma * running * (~dones[t])
        out[t] = running
    return out
