import argparse
import logging

import torch

from ddpm import GaussianDiffusion, NoisePredictor, make_schedule
from ddpm.datasets import two_moons_loader
from ddpm.utils import cycle, num_params

logging.basicConfig(level=logging.INFO, format="%(message)s")
log = logging.getLogger("ddpm")


def get_args():
    p = argparse.ArgumentParser("2d ddpm")
    p.add_argument("--timesteps", type=int, default=20)
    p.add_argument("--schedule", type=str, default="cosine")
    p.add_argument("--objective", type=str, default="pred_noise")
    p.add_argument("--iters", type=int, default=15)
    p.add_argument("--hidden", type=int, default=32)
    p.add_argument("--use_cpu", action="store_true")
    return p.parse_args()


def train(diffusion, net, loader, iters, device):
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    batches = cycle(loader)
    for it in range(iters):
        x0 = next(batches).to(device)
        t = torch.randint(0, diffusion.num_timesteps, (x0.size(0),), device=device)
        loss = diffusion.p_losses(net, x0, t)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if it % 5 == 0:
            log.info("iter %d loss %.4f", it, loss.item())


if __name__ == "__main__":
    args = get_args()
    device = torch.device("cpu" if args.use_cpu or not torch.cuda.is_available() else "cuda:0")
    net = NoisePredictor(2, args.hidden).to(device)
    betas = make_schedule(args.schedule, args.timesteps)
    diffusion = GaussianDiffusion(betas, objective=args.objective, device=device)
    log.info("%d parameters", num_params(net))

    train(diffusion, net, two_moons_loader(128, 32), args.iters, device)
    samples = diffusion.sample(net, (64, 2))
    log.info("sample mean %s std %s", samples.mean(0).cpu().numpy(), samples.std(0).cpu().numpy())
