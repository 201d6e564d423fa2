import numpy as np


class VecCueEnv:
    """The first observation shows a cue, the agent has to repeat it at the end."""

    num_actions = 3
    obs_dim = 4

    def __init__(self, num_envs, horizon, seed=0):
        self.num_envs, self.horizon = num_envs, horizon
        self.rng = np.random.RandomState(seed)

    def reset(self):
        self.t = 0
        self.cue = self.rng.randint(self.num_actions, size=self.num_envs)
        return self._obs(show=True)

    def _obs(self, show=False):
        obs = np.zeros((self.num_envs, self.obs_dim), dtype=np.float32)
        if show:
            obs[np.arange(self.num_envs), self.cue] = 1.0
        obs[:, -1] = self.t / self.horizon
        return obs

    def step(self, actions):
        self.t += 1
        done = self.t == self.horizon
        reward = (actions == self.cue).astype(np.float32) if done else np.zeros(self.num_envs, np.float32)
        return self._obs(), reward, done
