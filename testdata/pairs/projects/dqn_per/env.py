import numpy as np


class GridWorld:
    MOVES = np.array([[0, 1], [0, -1], [1, 0], [-1, 0]])

    def __init__(self, n, max_steps=20):
        self.n, self.max_steps = n, max_steps
        self.obs_dim, self.n_actions = 4, 4

    def _obs(self):
        return np.concatenate([self.pos, self.goal]).astype(np.float32) / self.n

    def reset(self):
        self.t = 0
        self.pos = np.zeros(2, dtype=int)
        self.goal = np.random.randint(1, self.n, size=2)
        return self._obs()

    def step(self, a):
        self.t += 1
        self.pos = np.clip(self.pos + self.MOVES[a], 0, self.n - 1)
        hit = bool((self.pos == self.goal).all())
        return self._obs(), 1.0 if hit else -0.05, hit or self.t >= self.max_steps
