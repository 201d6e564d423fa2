import torch

from a2c.envs import VecCueEnv
from a2c.policies import make_policy
from a2c.algo import A2C, RolloutCollector


def main():
    torch.manual_seed(11)
    device = torch.device("cuda") if torch.cuda.is_available() else torch.device("cpu")
    envs = VecCueEnv(num_envs=8, horizon=6)
    policy = make_policy("lstm", obs_dim=envs.obs_dim, num_actions=envs.num_actions, hidden=24)
    policy.to(device)
    algo = A2C(policy, lr=7e-3, entropy_coef=0.01)
    collector = RolloutCollector(envs, policy, device, gamma=0.95)
    for update in range(8):
        rollout = collector.collect()
        stats = algo.update(rollout)
        if update % 4 == 0:
            print(update, {k: round(v, 3) for k, v in stats.items()})


if __name__ == "__main__":
    main()
