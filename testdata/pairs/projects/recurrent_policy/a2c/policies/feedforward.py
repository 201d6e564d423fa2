import torch.nn as nn

from .base import BasePolicy


class FeedForwardPolicy(BasePolicy):
    def make_body(self, obs_dim, hidden):
        return nn.Sequential(nn.Linear(obs_dim, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh())

    def features(self, obs, state):
        return self.body(obs), state
