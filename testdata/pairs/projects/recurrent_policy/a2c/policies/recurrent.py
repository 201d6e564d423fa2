import torch
import torch.nn as nn

from .base import BasePolicy


class LSTMPolicy(BasePolicy):
    is_recurrent = True

    def make_body(self, obs_dim, hidden):
        return nn.LSTMCell(obs_dim, hidden)

    def initial_state(self, batch_size):
        zeros = torch.zeros(batch_size, self.hidden_size, device=self.device)
        return zeros, zeros.clone()

    def features(self, obs, state):
        h, c = self.body(obs, state)
        return h, (h, c)
