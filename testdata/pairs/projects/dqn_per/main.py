import random

import numpy as np
import torch

from agent import DQNAgent
from env import GridWorld


HP = dict(
    seed=1,
    device=torch.device("cuda" if torch.cuda.is_available() else "cpu"),
    grid=4,
    episodes=12,
    batch=16,
    gamma=0.97,
    lr=1e-3,
    capacity=256,
    alpha=0.6,
    learn_start=32,
    train_freq=4,
    target_sync=50,
    eps_end=0.05,
    eps_decay=100.0,
)


def epsilon_by_frame(frame):
    return HP["eps_end"] + (1.0 - HP["eps_end"]) * np.exp(-frame / HP["eps_decay"])


def main():
    random.seed(HP["seed"]); np.random.seed(HP["seed"]); torch.manual_seed(HP["seed"])
    env = GridWorld(HP["grid"])
    agent = DQNAgent(env.obs_dim, env.n_actions, HP)

    frame, returns = 0, []
    for episode in range(HP["episodes"]):
        obs, done, ret = env.reset(), False, 0.0
        while not done:
            a = agent.act(obs, epsilon_by_frame(frame))
            nxt, r, done = env.step(a)
            agent.memory.push(obs, a, r, nxt, done)
            obs, ret, frame = nxt, ret + r, frame + 1
            if frame > HP["learn_start"] and frame % HP["train_freq"] == 0:
                loss = agent.learn(beta=min(1.0, 0.4 + frame / 1000))
            if frame % HP["target_sync"] == 0:
                agent.sync_target()
        returns.append(ret)
    print("mean return over last 5: %.2f" % np.mean(returns[-5:]), "last loss: %.4f" % loss)


if __name__ == "__main__":
    main()
