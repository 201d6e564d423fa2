import numpy as np
import torch
from torch import nn
from torch.distributions import Normal
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence


class RecurrentGaussianPolicy(nn.Module):
    """GRU policy trained on whole (padded) episodes, stepped one observation at a time when acting."""

    def __init__(self, obs_dim, act_dim, hidden=24):
        super().__init__()
        self.hidden = hidden
        self.encoder = nn.Sequential(nn.Linear(obs_dim, hidden), nn.ELU())
        self.gru = nn.GRU(hidden, hidden, batch_first=True)
        self.mu = nn.Linear(hidden, act_dim)
        self.log_std = nn.Parameter(torch.zeros(act_dim))
        self.value = nn.Linear(hidden, 1)

    @property
    def device(self):
        return self.log_std.device

    def initial_state(self, batch_size=1):
        return torch.zeros(1, batch_size, self.hidden, device=self.device)

    def step(self, obs, h):
        x = self.encoder(obs.to(self.device)).view(1, 1, -1)
        out, h = self.gru(x, h)
        return Normal(self.mu(out[0, 0]), self.log_std.exp()), h

    def forward(self, obs, valid):
        x = self.encoder(obs)
        lengths = valid.sum(dim=1).long()
        packed = pack_padded_sequence(x, lengths.cpu(), batch_first=True, enforce_sorted=False)
        out, _ = self.gru(packed, self.initial_state(obs.size(0)))
        out, _ = pad_packed_sequence(out, batch_first=True, total_length=obs.size(1))
        return Normal(self.mu(out), self.log_std.exp()), self.value(out).squeeze(-1)


class PointMass:
    def __init__(self, rng):
        self.rng = rng

    def reset(self):
        self.x = self.rng.normal(size=3).astype(np.float32)
        self.budget = int(self.rng.integers(3, 9))
        return torch.from_numpy(self.x)

    def step(self, a):
        self.x = (self.x + 0.1 * a.sum()).astype(np.float32)
        self.budget -= 1
        return torch.from_numpy(self.x), -float(np.abs(self.x).mean()), self.budget == 0


@torch.no_grad()
def run_episode(env, policy):
    obs, h, done = env.reset(), policy.initial_state(), False
    traj = {"obs": [], "act": [], "rew": [], "logp": []}
    while not done:
        dist, h = policy.step(obs, h)
        a = dist.sample()
        traj["obs"].append(obs)
        traj["act"].append(a.cpu())
        traj["logp"].append(dist.log_prob(a).sum().cpu())
        obs, r, done = env.step(a.cpu().numpy())
        traj["rew"].append(torch.tensor(r))
    return {k: torch.stack(v) for k, v in traj.items()}


def discount(rewards, gamma=0.97):
    out = torch.zeros_like(rewards)
    running = 0.0
    for t in reversed(range(len(rewards))):
        running = rewards[t] + gamma * running
        out[t] = running
    return out


def make_batch(episodes, device):
    lengths = torch.tensor([len(e["rew"]) for e in episodes])
    valid = torch.arange(int(lengths.max()))[None, :] < lengths[:, None]
    batch = {k: pad_sequence([e[k] for e in episodes], batch_first=True) for k in ("obs", "act", "logp")}
    batch["ret"] = pad_sequence([discount(e["rew"]) for e in episodes], batch_first=True)
    batch["valid"] = valid.float()
    return {k: v.to(device) for k, v in batch.items()}


def ppo_loss(policy, b, clip=0.2):
    dist, value = policy(b["obs"], b["valid"])
    mask = b["valid"]
    masked_mean = lambda t: (t * mask).sum() / mask.sum()
    adv = (b["ret"] - value).detach()
    ratio = (dist.log_prob(b["act"]).sum(-1) - b["logp"]).exp()
    surrogate = torch.min(ratio * adv, ratio.clamp(1 - clip, 1 + clip) * adv)
    return -masked_mean(surrogate) + 0.5 * masked_mean((b["ret"] - value) ** 2)


def main(iters=3, use_cuda=torch.cuda.is_available()):
    torch.manual_seed(0)
    env = PointMass(np.random.default_rng(7))
    policy = RecurrentGaussianPolicy(3, 2)
    if use_cuda:
        policy = policy.cuda()
    optim = torch.optim.RMSprop(policy.parameters(), lr=1e-3)
    for i in range(iters):
        episodes = [run_episode(env, policy) for _ in range(4)]
        batch = make_batch(episodes, policy.device)
        for _ in range(2):
            loss = ppo_loss(policy, batch)
            optim.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
            optim.step()
        print(f"iter {i}: episodes={len(episodes)} loss={loss.item():.4f}")


if __name__ == "__main__":
    main()
