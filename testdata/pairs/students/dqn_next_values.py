import math
import random
from collections import namedtuple, deque
from itertools import count

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

# if GPU is to be used
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

Transition = namedtuple('Transition', ('state', 'action', 'next_state', 'reward'))

BATCH_SIZE = 16
GAMMA = 0.99
EPS_START, EPS_END, EPS_DECAY = 0.9, 0.05, 100
TAU = 0.05
LR = 1e-3


class LineWorld:
    """A walk on a line: reach +1, an episode ends at -1 or +1."""
    n_actions = 2

    def reset(self):
        self.x, self.t = 0.0, 0
        return [self.x, 0.0]

    def step(self, action):
        self.t += 1
        self.x += 0.25 if action == 1 else -0.25
        terminated = abs(self.x) >= 1
        return [self.x, self.t / 20], float(self.x >= 1), terminated, self.t >= 20


class ReplayMemory(object):

    def __init__(self, capacity):
        self.memory = deque([], maxlen=capacity)

    def push(self, *args):
        self.memory.append(Transition(*args))

    def sample(self, batch_size):
        return random.sample(self.memory, batch_size)

    def __len__(self):
        return len(self.memory)


class DQN(nn.Module):

    def __init__(self, n_observations, n_actions):
        super(DQN, self).__init__()
        self.layer1 = nn.Linear(n_observations, 32)
        self.layer2 = nn.Linear(32, n_actions)

    def forward(self, x):
        return self.layer2(F.relu(self.layer1(x)))


env = LineWorld()
policy_net = DQN(2, env.n_actions).to(device)
target_net = DQN(2, env.n_actions).to(device)
target_net.load_state_dict(policy_net.state_dict())
optimizer = optim.AdamW(policy_net.parameters(), lr=LR, amsgrad=True)
memory = ReplayMemory(500)
steps_done = 0


def select_action(state):
    global steps_done
    eps_threshold = EPS_END + (EPS_START - EPS_END) * math.exp(-1. * steps_done / EPS_DECAY)
    steps_done += 1
    if random.random() > eps_threshold:
        with torch.no_grad():
            return policy_net(state).max(1)[1].view(1, 1)
    return torch.tensor([[random.randrange(env.n_actions)]], device=device, dtype=torch.long)


def optimize_model():
    if len(memory) < BATCH_SIZE:
        return
    batch = Transition(*zip(*memory.sample(BATCH_SIZE)))
    non_final_mask = torch.tensor([s is not None for s in batch.next_state], dtype=torch.bool)
    state_batch = torch.cat(batch.state)
    action_batch = torch.cat(batch.action)
    reward_batch = torch.cat(batch.reward)
    state_action_values = policy_net(state_batch).gather(1, action_batch)

    next_state_values = torch.zeros(BATCH_SIZE, device=device)
    if non_final_mask.any():
        non_final_next_states = torch.cat([s for s in batch.next_state if s is not None])
        with torch.no_grad():
            next_state_values[non_final_mask] = target_net(non_final_next_states).max(1)[0]
    expected_state_action_values = (next_state_values * GAMMA) + reward_batch

    loss = F.smooth_l1_loss(state_action_values, expected_state_action_values.unsqueeze(1))
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_value_(policy_net.parameters(), 100)
    optimizer.step()


episode_returns = []
for i_episode in range(8):
    state = torch.tensor([env.reset()], dtype=torch.float32, device=device)
    total = 0.0
    for t in count():
        action = select_action(state)
        observation, reward, terminated, truncated = env.step(action.item())
        total += reward
        reward = torch.tensor([reward], device=device)
        if terminated:
            next_state = None
        else:
            next_state = torch.tensor([observation], dtype=torch.float32, device=device)
        memory.push(state, action, next_state, reward)
        state = next_state
        optimize_model()
        with torch.no_grad():
            for p_target, p in zip(target_net.parameters(), policy_net.parameters()):
                p_target.mul_(1 - TAU).add_(TAU * p)
        if terminated or truncated:
            break
    episode_returns.append(total)

returns_t = torch.tensor(episode_returns, dtype=torch.float)
print('Complete', returns_t.unfold(0, 4, 1).mean(1).numpy())
