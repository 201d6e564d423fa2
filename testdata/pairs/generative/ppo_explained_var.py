# Single-file PPO in the CleanRL spirit: vectorised env, GAE, minibatch updates, logging.
import argparse
import random
import time

import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim
from torch.distributions.categorical import Categorical


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cuda", type=lambda s: s.lower() in ("1", "true"), default=True)
    parser.add_argument("--num-envs", type=int, default=4)
    parser.add_argument("--num-steps", type=int, default=16)
    parser.add_argument("--num-minibatches", type=int, default=4)
    parser.add_argument("--update-epochs", type=int, default=2)
    parser.add_argument("--total-timesteps", type=int, default=128)
    parser.add_argument("--gamma", type=float, default=0.99)
    parser.add_argument("--gae-lambda", type=float, default=0.95)
    args = parser.parse_args()
    args.batch_size = args.num_envs * args.num_steps
    args.minibatch_size = args.batch_size // args.num_minibatches
    return args


class SyncVectorPole:
    def __init__(self, n):
        self.n = n

    def reset(self):
        self.s = np.random.uniform(-0.05, 0.05, (self.n, 4))
        return self.s.copy()

    def step(self, a):
        self.s[:, 1] += np.where(a == 1, 0.1, -0.1)
        self.s[:, 0] += 0.02 * self.s[:, 1]
        self.s[:, 2:] += 0.02 * np.random.randn(self.n, 2)
        done = np.abs(self.s[:, 0]) > 0.1
        self.s[done] = 0.0
        return self.s.copy(), np.where(done, 0.0, 1.0), done


def layer_init(layer, std=np.sqrt(2), bias_const=0.0):
    torch.nn.init.orthogonal_(layer.weight, std)
    torch.nn.init.constant_(layer.bias, bias_const)
    return layer


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.critic = nn.Sequential(layer_init(nn.Linear(4, 32)), nn.Tanh(), layer_init(nn.Linear(32, 1), std=1.0))
        self.actor = nn.Sequential(layer_init(nn.Linear(4, 32)), nn.Tanh(), layer_init(nn.Linear(32, 2), std=0.01))

    def get_action_and_value(self, x, action=None):
        probs = Categorical(logits=self.actor(x))
        if action is None:
            action = probs.sample()
        return action, probs.log_prob(action), probs.entropy(), self.critic(x).flatten()


def explained_variance(y_pred, y_true):
    var_y = np.var(y_true)
    return np.nan if var_y == 0 else 1 - np.var(y_true - y_pred) / var_y


if __name__ == "__main__":
    args = parse_args()
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    device = torch.device("cuda" if torch.cuda.is_available() and args.cuda else "cpu")

    envs = SyncVectorPole(args.num_envs)
    agent = Agent().to(device)
    optimizer = optim.Adam(agent.parameters(), lr=2.5e-4, eps=1e-5)

    shape = (args.num_steps, args.num_envs)
    obs = torch.zeros(shape + (4,)).to(device)
    actions, logprobs, rewards, dones, values = (torch.zeros(shape).to(device) for _ in range(5))

    start_time = time.time()
    next_obs = torch.Tensor(envs.reset()).to(device)
    next_done = torch.zeros(args.num_envs).to(device)

    for update in range(1, args.total_timesteps // args.batch_size + 1):
        for step in range(args.num_steps):
            obs[step], dones[step] = next_obs, next_done
            with torch.no_grad():
                action, logprob, _, values[step] = agent.get_action_and_value(next_obs)
            actions[step], logprobs[step] = action, logprob
            next_obs, reward, done = envs.step(action.cpu().numpy())
            rewards[step] = torch.tensor(reward)
            next_obs, next_done = torch.Tensor(next_obs).to(device), torch.Tensor(done).to(device)

        with torch.no_grad():
            next_value = agent.critic(next_obs).flatten()
            advantages = torch.zeros_like(rewards)
            lastgaelam = 0
            for t in reversed(range(args.num_steps)):
                last = t == args.num_steps - 1
                nonterminal = 1.0 - (next_done if last else dones[t + 1])
                nextvalues = next_value if last else values[t + 1]
                delta = rewards[t] + args.gamma * nextvalues * nonterminal - values[t]
                advantages[t] = lastgaelam = delta + args.gamma * args.gae_lambda * nonterminal * lastgaelam
            returns = advantages + values

        b_obs, b_actions = obs.reshape(-1, 4), actions.reshape(-1)
        b_logprobs, b_adv, b_returns, b_values = (x.reshape(-1) for x in (logprobs, advantages, returns, values))
        b_inds = np.arange(args.batch_size)
        clipfracs = []
        for epoch in range(args.update_epochs):
            np.random.shuffle(b_inds)
            for start in range(0, args.batch_size, args.minibatch_size):
                mb = b_inds[start:start + args.minibatch_size]
                _, newlogprob, entropy, newvalue = agent.get_action_and_value(b_obs[mb], b_actions[mb])
                ratio = (newlogprob - b_logprobs[mb]).exp()
                clipfracs += [((ratio - 1.0).abs() > 0.2).float().mean().item()]
                pg_loss = torch.max(-b_adv[mb] * ratio, -b_adv[mb] * torch.clamp(ratio, 0.8, 1.2)).mean()
                loss = pg_loss + 0.25 * ((newvalue - b_returns[mb]) ** 2).mean() - 0.01 * entropy.mean()
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
                optimizer.step()

        ev = explained_variance(b_values.detach().cpu().numpy(), b_returns.detach().cpu().numpy())
        sps = int(update * args.batch_size / (time.time() - start_time))
        print(f"update={update} loss={loss.item():.3f} clipfrac={np.mean(clipfracs):.3f} ev={ev:.3f} SPS={sps}")
