import torch

from flows import RealNVP
from flows.targets import TARGETS
from flows.train import FlowTrainer

CONFIG = {
    "target": "rings",
    "flow": {"dim": 2, "n_layers": 4, "hidden": 24},
    "optim": {"lr": 2e-3, "weight_decay": 1e-5},
    "steps": 20,
    "batch_size": 64,
}


def main(config):
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    target = TARGETS[config["target"]]()
    flow = RealNVP(**config["flow"])
    flow.to(device)
    trainer = FlowTrainer(flow, target, config)
    trainer.train()
    x = flow.sample(32)
    print("samples", tuple(x.shape), "mean radius %.3f" % x.norm(dim=1).mean().item())


if __name__ == "__main__":
    main(CONFIG)
