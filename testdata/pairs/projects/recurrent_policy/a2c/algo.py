from typing import NamedTuple

import torch


class Rollout(NamedTuple):
    log_probs: torch.Tensor
    values: torch.Tensor
    returns: torch.Tensor
    entropy: torch.Tensor


class RolloutCollector:
    def __init__(self, envs, policy, device, gamma):
        self.envs, self.policy, self.device, self.gamma = envs, policy, device, gamma

    def collect(self):
        obs, done = self.envs.reset(), False
        state = self.policy.initial_state(self.envs.num_envs)
        logps, values, rewards, ents = [], [], [], []
        while not done:
            dist, value, state = self.policy(torch.from_numpy(obs).to(self.device), state)
            action = dist.sample()
            obs, reward, done = self.envs.step(action.cpu().numpy())
            logps.append(dist.log_prob(action))
            values.append(value)
            ents.append(dist.entropy())
            rewards.append(torch.from_numpy(reward))
        return Rollout(torch.stack(logps), torch.stack(values), self._returns(rewards), torch.stack(ents))

    def _returns(self, rewards):
        out, running = [], torch.zeros(self.envs.num_envs)
        for r in reversed(rewards):
            running = r + self.gamma * running
            out.append(running)
        return torch.stack(out[::-1]).to(self.device)


class A2C:
    def __init__(self, policy, lr, entropy_coef, value_coef=0.5):
        self.policy = policy
        self.entropy_coef, self.value_coef = entropy_coef, value_coef
        self.opt = torch.optim.RMSprop(policy.parameters(), lr=lr, eps=1e-5)

    def update(self, ro):
        adv = ro.returns - ro.values
        pg = -(adv.detach() * ro.log_probs).mean()
        vf = adv.pow(2).mean()
        ent = ro.entropy.mean()
        loss = pg + self.value_coef * vf - self.entropy_coef * ent
        self.opt.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.policy.parameters(), 0.5)
        self.opt.step()
        return {"return": ro.returns[-1].mean().item(), "value": vf.item(), "entropy": ent.item()}
