import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F

from metric_learning import losses, miners
from metric_learning.data import MPerClassSampler, Speakers
from metric_learning.engine import Engine


class Embedder(nn.Module):
    def __init__(self, in_dim, out_dim):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(in_dim, 32), nn.PReLU(), nn.Linear(32, out_dim))

    def forward(self, x):
        return F.normalize(self.net(x), dim=1)


def build_parser():
    p = argparse.ArgumentParser(description="speaker embeddings with triplet loss")
    p.add_argument("--miner", choices=sorted(miners.MINERS), default="semihard")
    p.add_argument("--margin", type=float, default=0.3)
    p.add_argument("--device", type=torch.device, default=None)
    p.add_argument("--epochs", type=int, default=2)
    return p


def main():
    args = build_parser().parse_args()
    if args.device is None:
        args.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(4)

    ds = Speakers(num_speakers=6, per_speaker=8)
    sampler = MPerClassSampler(ds.labels, m=4, batch_size=16)
    loader = torch.utils.data.DataLoader(ds, batch_size=16, sampler=sampler, drop_last=True)

    engine = Engine(
        net=Embedder(12, 8),
        loss=losses.TripletLoss(margin=args.margin),
        miner=miners.MINERS[args.miner](margin=args.margin),
        device=args.device,
    )
    for e in range(args.epochs):
        print(f"epoch {e}", engine.run_epoch(loader))


if __name__ == "__main__":
    main()
