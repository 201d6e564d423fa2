import numpy as np
import torch


class PrioritizedReplay:
    def __init__(self, capacity, obs_dim, alpha, device):
        self.capacity, self.alpha, self.device = capacity, alpha, device
        self.obs = np.zeros((capacity, obs_dim), dtype=np.float32)
        self.next_obs = np.zeros((capacity, obs_dim), dtype=np.float32)
        self.act = np.zeros(capacity, dtype=np.int64)
        self.rew = np.zeros(capacity, dtype=np.float32)
        self.done = np.zeros(capacity, dtype=np.float32)
        self.prio = np.zeros(capacity, dtype=np.float32)
        self.ptr, self.size = 0, 0

    def push(self, s, a, r, s2, d):
        i = self.ptr
        self.obs[i], self.act[i], self.rew[i], self.next_obs[i], self.done[i] = s, a, r, s2, d
        self.prio[i] = self.prio[:self.size].max() if self.size else 1.0
        self.ptr = (i + 1) % self.capacity
        self.size = min(self.size + 1, self.capacity)

    def _t(self, arr):
        return torch.from_numpy(arr).to(self.device)

    def sample(self, n, beta):
        p = self.prio[:self.size].astype(np.float64) ** self.alpha
        p /= p.sum()
        idx = np.random.choice(self.size, n, p=p)
        w = (self.size * p[idx]) ** (-beta)
        w = torch.FloatTensor(w / w.max()).to(self.device)
        batch = (self._t(self.obs[idx]), self._t(self.act[idx]), self._t(self.rew[idx]),
                 self._t(self.next_obs[idx]), self._t(self.done[idx]))
        return batch, idx, w

    def update_priorities(self, idx, td):
        self.prio[idx] = np.abs(td) + 1e-5

    def __len__(self):
        return self.size
