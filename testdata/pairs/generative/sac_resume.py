import io
import math
from typing import Dict, NamedTuple

import torch
from torch import Tensor, nn
from torch.distributions import Normal, TransformedDistribution
from torch.distributions.transforms import TanhTransform


class Batch(NamedTuple):
    obs: Tensor
    act: Tensor
    rew: Tensor
    obs2: Tensor
    done: Tensor


def mlp(sizes, act=nn.ReLU):
    layers = []
    for i in range(len(sizes) - 1):
        layers += [nn.Linear(sizes[i], sizes[i + 1]), act()]
    return nn.Sequential(*layers[:-1])


class SquashedActor(nn.Module):
    def __init__(self, obs_dim: int, act_dim: int):
        super().__init__()
        self.net = mlp([obs_dim, 32, 2 * act_dim])

    def forward(self, obs: Tensor):
        mu, log_std = self.net(obs).chunk(2, dim=-1)
        pi = TransformedDistribution(Normal(mu, log_std.clamp(-5, 2).exp()), [TanhTransform(cache_size=1)])
        a = pi.rsample()
        return a, pi.log_prob(a).sum(-1)


class TwinQ(nn.Module):
    def __init__(self, obs_dim: int, act_dim: int):
        super().__init__()
        self.q1 = mlp([obs_dim + act_dim, 32, 1])
        self.q2 = mlp([obs_dim + act_dim, 32, 1])

    def forward(self, obs: Tensor, act: Tensor):
        x = torch.cat([obs, act], dim=-1)
        return self.q1(x).squeeze(-1), self.q2(x).squeeze(-1)


class SAC(nn.Module):
    def __init__(self, obs_dim: int, act_dim: int, lr: float = 3e-4):
        super().__init__()
        self.actor = SquashedActor(obs_dim, act_dim)
        self.critic = TwinQ(obs_dim, act_dim)
        self.critic_target = TwinQ(obs_dim, act_dim)
        self.critic_target.load_state_dict(self.critic.state_dict())
        self.critic_target.requires_grad_(False)
        self.log_alpha = nn.Parameter(torch.tensor(math.log(0.2)))
        self.target_entropy = -float(act_dim)
        self.optims = {
            "actor": torch.optim.Adam(self.actor.parameters(), lr=lr),
            "critic": torch.optim.Adam(self.critic.parameters(), lr=lr),
            "alpha": torch.optim.Adam([self.log_alpha], lr=lr),
        }

    def checkpoint(self) -> Dict:
        return {"model": self.state_dict(), "optims": {k: o.state_dict() for k, o in self.optims.items()}}

    def restore(self, ckpt: Dict) -> None:
        self.load_state_dict(ckpt["model"])
        for name, opt in self.optims.items():
            opt.load_state_dict(ckpt["optims"][name])

    def _minimise(self, name: str, loss: Tensor) -> None:
        self.optims[name].zero_grad(set_to_none=True)
        loss.backward()
        self.optims[name].step()

    def update(self, b: Batch, gamma: float = 0.99, tau: float = 0.005) -> float:
        alpha = self.log_alpha.exp().detach()
        with torch.no_grad():
            a2, logp2 = self.actor(b.obs2)
            q_next = torch.min(*self.critic_target(b.obs2, a2)) - alpha * logp2
            y = b.rew + gamma * (1.0 - b.done) * q_next
        q1, q2 = self.critic(b.obs, b.act)
        critic_loss = (q1 - y).pow(2).mean() + (q2 - y).pow(2).mean()
        self._minimise("critic", critic_loss)

        a, logp = self.actor(b.obs)
        self._minimise("actor", (alpha * logp - torch.min(*self.critic(b.obs, a))).mean())
        self._minimise("alpha", -(self.log_alpha * (logp.detach() + self.target_entropy)).mean())
        with torch.no_grad():
            for p, tp in zip(self.critic.parameters(), self.critic_target.parameters()):
                tp.lerp_(p, tau)
        return critic_loss.item()


def fake_batch(n: int, device: torch.device) -> Batch:
    b = Batch(torch.randn(n, 6), torch.rand(n, 2) * 2 - 1, torch.randn(n), torch.randn(n, 6), torch.zeros(n))
    return Batch(*(t.to(device) for t in b))


def pretrain(device: torch.device) -> io.BytesIO:
    agent = SAC(6, 2)
    agent.to(device)
    for _ in range(3):
        agent.update(fake_batch(8, device))
    buf = io.BytesIO()
    torch.save(agent.checkpoint(), buf)
    buf.seek(0)
    return buf


def finetune(ckpt_file, device: torch.device) -> None:
    agent = SAC(6, 2, lr=1e-4)
    agent.to(device)
    agent.restore(torch.load(ckpt_file, map_location="cpu"))
    for it in range(3):
        loss = agent.update(fake_batch(8, device))
        print(f"[finetune] it={it} critic_loss={loss:.3f}")


if __name__ == "__main__":
    torch.manual_seed(1)
    dev = torch.device("cuda:0") if torch.cuda.is_available() else torch.device("cpu")
    finetune(pretrain(dev), dev)
