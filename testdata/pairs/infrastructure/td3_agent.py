import copy
import random

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

# Twin Delayed Deep Deterministic Policy Gradients (TD3), https://arxiv.org/abs/1802.09477

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def weights_init(m):
    if isinstance(m, nn.Linear):
        nn.init.xavier_uniform_(m.weight, gain=1)
        nn.init.constant_(m.bias, 0)


class OUNoise(object):
    """Ornstein-Uhlenbeck process, for exploration."""

    def __init__(self, size, mu=0.0, theta=0.15, sigma=0.2):
        self.mu = mu * np.ones(size)
        self.theta = theta
        self.sigma = sigma
        self.reset()

    def reset(self):
        self.state = copy.copy(self.mu)

    def sample(self):
        dx = self.theta * (self.mu - self.state) + self.sigma * np.random.randn(len(self.state))
        self.state = self.state + dx
        return self.state


class ReplayMemory(object):
    # Expects tuples of (state, next_state, action, reward, done)
    def __init__(self, max_size=1000000):
        self.storage = []
        self.max_size = int(max_size)
        self.ptr = 0

    def add(self, data):
        if len(self.storage) == self.max_size:
            self.storage[self.ptr] = data
            self.ptr = (self.ptr + 1) % self.max_size
        else:
            self.storage.append(data)

    def __len__(self):
        return len(self.storage)

    def sample(self, batch_size):
        picked = random.sample(self.storage, min(batch_size, len(self.storage)))
        x, y, u, r, d = (np.array(col, dtype=np.float32) for col in zip(*picked))
        return x, y, u, r.reshape(-1, 1), d.reshape(-1, 1)


class Actor(nn.Module):
    def __init__(self, state_dim, action_dim, max_action, hidden=64):
        super(Actor, self).__init__()
        self.l1 = nn.Linear(state_dim, hidden)
        self.l2 = nn.Linear(hidden, hidden)
        self.l3 = nn.Linear(hidden, action_dim)
        self.max_action = max_action
        self.apply(weights_init)

    def forward(self, x):
        x = F.relu(self.l1(x))
        x = F.relu(self.l2(x))
        return self.max_action * torch.tanh(self.l3(x))


class Critic(nn.Module):
    def __init__(self, state_dim, action_dim, hidden=64):
        super(Critic, self).__init__()

        def q():
            return nn.Sequential(nn.Linear(state_dim + action_dim, hidden), nn.ReLU(),
                                 nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1))
        self.q1 = q()
        self.q2 = q()
        self.apply(weights_init)

    def forward(self, x, u):
        xu = torch.cat([x, u], 1)
        return self.q1(xu), self.q2(xu)

    def Q1(self, x, u):
        return self.q1(torch.cat([x, u], 1))


def soft_update(target, source, tau):
    for tp, p in zip(target.parameters(), source.parameters()):
        tp.data.copy_(tau * p.data + (1 - tau) * tp.data)


class TD3(object):
    def __init__(self, state_dim, action_dim, max_action, lr=1e-3):
        self.actor = Actor(state_dim, action_dim, max_action).to(device)
        self.actor_target = copy.deepcopy(self.actor)
        self.actor_optimizer = torch.optim.Adam(self.actor.parameters(), lr=lr)

        self.critic = Critic(state_dim, action_dim).to(device)
        self.critic_target = copy.deepcopy(self.critic)
        self.critic_optimizer = torch.optim.Adam(self.critic.parameters(), lr=lr)

        self.max_action = max_action
        self.noise = OUNoise(action_dim)

    def select_action(self, state, explore=False):
        state = torch.FloatTensor(state.reshape(1, -1)).to(device)
        action = self.actor(state).cpu().data.numpy().flatten()
        if explore:
            action = action + self.noise.sample()
        return action.clip(-self.max_action, self.max_action)

    def train(self, memory, iterations, batch_size=100, discount=0.99, tau=0.005,
              policy_noise=0.2, noise_clip=0.5, policy_freq=2):
        critic_losses = []
        for it in range(iterations):
            x, y, u, r, d = memory.sample(batch_size)
            state = torch.FloatTensor(x).to(device)
            action = torch.FloatTensor(u).to(device)
            next_state = torch.FloatTensor(y).to(device)
            not_done = torch.FloatTensor(1 - d).to(device)
            reward = torch.FloatTensor(r).to(device)

            # Select action according to policy and add clipped noise
            noise = torch.FloatTensor(u).data.normal_(0, policy_noise).to(device)
            noise = noise.clamp(-noise_clip, noise_clip)
            next_action = (self.actor_target(next_state) + noise).clamp(-self.max_action, self.max_action)

            # Compute the target Q value
            target_Q1, target_Q2 = self.critic_target(next_state, next_action)
            target_Q = torch.min(target_Q1, target_Q2)
            target_Q = reward + (not_done * discount * target_Q).detach()

            current_Q1, current_Q2 = self.critic(state, action)
            critic_loss = F.mse_loss(current_Q1, target_Q) + F.mse_loss(current_Q2, target_Q)
            self.critic_optimizer.zero_grad()
            critic_loss.backward()
            self.critic_optimizer.step()
            critic_losses.append(critic_loss.item())

            # Delayed policy updates
            if it % policy_freq == 0:
                actor_loss = -self.critic.Q1(state, self.actor(state)).mean()
                self.actor_optimizer.zero_grad()
                actor_loss.backward()
                self.actor_optimizer.step()
                soft_update(self.critic_target, self.critic, tau)
                soft_update(self.actor_target, self.actor, tau)
        return np.mean(critic_losses)

    def save(self, filename):
        torch.save(self.actor.state_dict(), filename + '_actor.pth')
        torch.save(self.critic.state_dict(), filename + '_critic.pth')

    def load(self, filename):
        self.actor.load_state_dict(torch.load(filename + '_actor.pth', map_location=lambda s, loc: s))
        self.critic.load_state_dict(torch.load(filename + '_critic.pth', map_location=lambda s, loc: s))
        self.actor_target.load_state_dict(self.actor.state_dict())
        self.critic_target.load_state_dict(self.critic.state_dict())
