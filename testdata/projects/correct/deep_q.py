"""Deep Q-learning on a walk along a line; the replay memory stays on the CPU."""

import random
from collections import deque

import torch
import torch.nn as nn
import torch.optim as optim

device = torch.device(
    "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
)


class DQN(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 2))

    def forward(self, x):
        return self.layers(x)


policy_net = DQN().to(device)
target_net = DQN().to(device)
target_net.load_state_dict(policy_net.state_dict())
optimizer = optim.AdamW(policy_net.parameters(), lr=1e-3)
memory = deque(maxlen=200)


def select_action(state):
    if random.random() < 0.2:
        return torch.tensor([[random.randrange(2)]], device=device, dtype=torch.long)
    with torch.no_grad():
        return policy_net(state).max(1).indices.view(1, 1)


def optimize_model(batch_size=8):
    if len(memory) < batch_size:
        return
    states, actions, rewards, following, finals = zip(*random.sample(memory, batch_size))
    state_batch = torch.cat(states)
    action_batch = torch.cat(actions)
    reward_batch = torch.tensor(rewards, device=device)
    final = torch.tensor(finals, dtype=torch.bool, device=device)
    values = policy_net(state_batch).gather(1, action_batch)
    next_values = torch.zeros(batch_size, device=device)
    with torch.no_grad():
        next_values[~final] = target_net(torch.cat(following))[~final].max(1).values
    expected = reward_batch + 0.99 * next_values
    loss = nn.functional.smooth_l1_loss(values, expected.unsqueeze(1))
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_value_(policy_net.parameters(), 100)
    optimizer.step()


for _ in range(3):
    position = 0.0
    state = torch.tensor([[position, 1.0]], device=device)
    for _ in range(10):
        action = select_action(state)
        position += 1.0 if action.item() else -1.0
        following = torch.tensor([[position, 1.0]], device=device)
        memory.append((state, action, -abs(position - 3), following, position == 3))
        state = following
        optimize_model()
print(policy_net(torch.tensor([[0.0, 1.0]], device=device)).tolist())
