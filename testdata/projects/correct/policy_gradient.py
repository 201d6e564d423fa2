"""REINFORCE for a bandit with several states."""

import torch
from torch import nn
from torch.distributions import Categorical


class Policy(nn.Module):
    def __init__(self, states, actions):
        super().__init__()
        self.logits = nn.Sequential(nn.Embedding(states, 8), nn.Tanh(), nn.Linear(8, actions))

    def forward(self, state):
        return Categorical(logits=self.logits(state))


class Agent:
    def __init__(self, device):
        self.device = device
        self.policy = Policy(4, 3).to(self.device)
        self.optimizer = torch.optim.Adam(self.policy.parameters(), lr=1e-2)
        self.baseline = torch.zeros(4, device=self.device)

    def episode(self, payoff, steps=6):
        states = torch.randint(0, 4, (steps,)).to(self.device)
        distribution = self.policy(states)
        actions = distribution.sample()
        rewards = payoff[states, actions]
        advantage = rewards - self.baseline[states]
        loss = -(distribution.log_prob(actions) * advantage).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.baseline.index_add_(0, states, 0.1 * advantage)
        return rewards.mean().item()


def discounted(rewards, gamma, device):
    returns, total = [], 0.0
    for reward in reversed(rewards):
        total = reward + gamma * total
        returns.insert(0, total)
    returns = torch.tensor(returns, device=device)
    return (returns - returns.mean()) / (returns.std() + 1e-6)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    agent = Agent(device)
    payoff = torch.rand(4, 3, device=device)
    history = [agent.episode(payoff) for _ in range(5)]
    weights = torch.linspace(0, 1, 5, device=device)
    print((discounted(history, 0.9, device) * weights).sum().item())


if __name__ == "__main__":
    main()
