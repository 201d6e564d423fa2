"""Imagination-based actor-critic update with percentile return normalisation."""
import torch
import torch.nn.functional as F
from torch import nn, Tensor
from torch.distributions import Independent, Normal, OneHotCategoricalStraightThrough, kl_divergence


class Moments(nn.Module):
    def __init__(self, decay: float = 0.99, limit: float = 1.0, low: float = 0.05, high: float = 0.95):
        super().__init__()
        self._decay = decay
        self._limit = limit
        self.register_buffer("_percentiles", torch.tensor([low, high]), persistent=False)
        self.register_buffer("low", torch.zeros(()))
        self.register_buffer("high", torch.zeros(()))

    @torch.no_grad()
    def forward(self, x: Tensor):
        low, high = torch.quantile(x.detach().flatten(), self._percentiles)
        self.low.mul_(self._decay).add_((1 - self._decay) * low)
        self.high.mul_(self._decay).add_((1 - self._decay) * high)
        inv_scale = torch.clamp(self.high - self.low, min=self._limit)
        return self.low, inv_scale


class WorldModel(nn.Module):
    def __init__(self, deter=16, classes=4, act=2, obs=6):
        super().__init__()
        self.cell = nn.GRUCell(classes + act, deter)
        self.prior = nn.Linear(deter, classes)
        self.post = nn.Linear(deter + obs, classes)
        self.decoder = nn.Linear(deter + classes, obs)
        self.reward = nn.Linear(deter + classes, 1)
        self.deter, self.classes, self.act = deter, classes, act

    def initial(self, batch: int):
        ref = self.prior.weight
        return ref.new_zeros(batch, self.deter), ref.new_zeros(batch, self.classes)

    def imagine(self, h, z, a):
        h = self.cell(torch.cat([z, a], -1), h)
        prior = OneHotCategoricalStraightThrough(logits=self.prior(h))
        return h, prior.rsample(), prior

    def loss(self, obs: Tensor, act: Tensor, rew: Tensor):
        steps, batch = obs.shape[:2]
        h, z = self.initial(batch)
        total = 0.0
        states = []
        for t in range(steps):
            h, _, prior = self.imagine(h, z, act[t])
            post = OneHotCategoricalStraightThrough(logits=self.post(torch.cat([h, obs[t]], -1)))
            z = post.rsample()
            feat = torch.cat([h, z], -1)
            recon = F.mse_loss(self.decoder(feat), obs[t]) + F.mse_loss(self.reward(feat).squeeze(-1), rew[t])
            kl = kl_divergence(post, prior).clamp(min=1.0).mean()
            total = total + recon + 0.1 * kl
            states.append((h.detach(), z.detach()))
        return total / steps, states


class Behaviour(nn.Module):
    def __init__(self, feat: int, act: int, horizon: int = 5):
        super().__init__()
        self.horizon = horizon
        self.actor = nn.Linear(feat, 2 * act)
        self.critic = nn.Linear(feat, 1)
        self.moments = Moments()
        self.register_buffer("discount", torch.full((horizon,), 0.97).cumprod(0), persistent=False)

    def policy(self, feat):
        mean, std = self.actor(feat).chunk(2, -1)
        return Independent(Normal(mean.tanh(), F.softplus(std) + 0.1), 1)

    def lambda_return(self, reward, value, lam=0.95, gamma=0.97):
        out, nxt = [], value[-1]
        for t in reversed(range(self.horizon - 1)):
            nxt = reward[t] + gamma * ((1 - lam) * value[t + 1] + lam * nxt)
            out.append(nxt)
        return torch.stack(out[::-1])

    def losses(self, wm: WorldModel, h, z):
        feats, entropies = [], []
        for _ in range(self.horizon):
            feat = torch.cat([h, z], -1)
            dist = self.policy(feat.detach())
            h, z, _ = wm.imagine(h, z, dist.rsample())
            feats.append(feat)
            entropies.append(dist.entropy())
        feats = torch.stack(feats)
        reward, value = wm.reward(feats).squeeze(-1), self.critic(feats).squeeze(-1)
        target = self.lambda_return(reward, value)
        offset, scale = self.moments(target)
        adv = (target - offset) / scale - (value[:-1] - offset) / scale
        weight = self.discount[:-1, None]
        actor_loss = -(weight * (adv + 3e-4 * torch.stack(entropies)[:-1])).mean()
        critic_loss = F.mse_loss(self.critic(feats[:-1].detach()).squeeze(-1), target.detach())
        return actor_loss, critic_loss


def train(steps: int = 2, accelerator: str = "auto"):
    if accelerator == "auto":
        accelerator = "cuda" if torch.cuda.is_available() else "cpu"
    device = torch.device(accelerator)
    torch.manual_seed(5)
    wm = WorldModel().to(device)
    behaviour = Behaviour(wm.deter + wm.classes, wm.act).to(device)
    opt_wm = torch.optim.Adam(wm.parameters(), lr=1e-3)
    opt_ac = torch.optim.Adam(behaviour.parameters(), lr=1e-3)
    for step in range(steps):
        obs, act, rew = (t.to(device) for t in (torch.randn(4, 3, 6), torch.randn(4, 3, 2), torch.randn(4, 3)))
        model_loss, states = wm.loss(obs, act, rew)
        opt_wm.zero_grad()
        model_loss.backward()
        opt_wm.step()
        h, z = (torch.cat(s) for s in zip(*states))
        actor_loss, critic_loss = behaviour.losses(wm, h, z)
        opt_ac.zero_grad()
        (actor_loss + critic_loss).backward()
        opt_ac.step()
        print(f"{step}: model {model_loss.item():.3f} actor {actor_loss.item():.3f} critic {critic_loss.item():.3f}")


train()
