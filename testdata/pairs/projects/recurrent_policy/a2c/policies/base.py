import torch
import torch.nn as nn
from torch.distributions import Categorical


class BasePolicy(nn.Module):
    is_recurrent = False

    def __init__(self, obs_dim, num_actions, hidden):
        super().__init__()
        self.hidden_size = hidden
        self.body = self.make_body(obs_dim, hidden)
        self.actor = nn.Linear(hidden, num_actions)
        self.critic = nn.Linear(hidden, 1)
        self.reset_parameters()

    @property
    def device(self):
        return next(self.parameters()).device

    def make_body(self, obs_dim, hidden):
        raise NotImplementedError

    def reset_parameters(self):
        for m in (self.actor, self.critic):
            nn.init.orthogonal_(m.weight, gain=0.1)
            nn.init.zeros_(m.bias)

    def initial_state(self, batch_size):
        return None

    def features(self, obs, state):
        raise NotImplementedError

    def forward(self, obs, state):
        h, state = self.features(obs, state)
        return Categorical(logits=self.actor(h)), self.critic(h).squeeze(-1), state
