from types import SimpleNamespace as NS

import torch
from torch.utils.data import DataLoader

from kd.data import ToyShapes
from kd.distiller import Distiller
from kd.nets import build_net


def get_cfg():
    return NS(
        SEED=0,
        DEVICE="cuda" if torch.cuda.is_available() else "cpu",
        DATA=NS(SIZE=48, BATCH=12),
        TEACHER=NS(WIDTHS=(12, 24), CLASSES=3),
        STUDENT=NS(WIDTHS=(4, 8), CLASSES=3),
        DISTILL=NS(TEMPERATURE=4.0, FEATURE_WEIGHT=10.0, KD_WEIGHT=0.5, LAYERS=("stage1", "stage2")),
        SOLVER=NS(LR=0.05, EPOCHS=2),
    )


def pretrain(net, loader, device, steps):
    opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    net.train()
    for _, (img, lab) in zip(range(steps), loader):
        loss = torch.nn.functional.cross_entropy(net(img.to(device)), lab.to(device))
        opt.zero_grad(); loss.backward(); opt.step()
    return net


def main():
    cfg = get_cfg()
    torch.manual_seed(cfg.SEED)
    loader = DataLoader(ToyShapes(cfg.DATA.SIZE), batch_size=cfg.DATA.BATCH, shuffle=True)

    teacher = build_net(cfg.TEACHER).to(cfg.DEVICE)
    student = build_net(cfg.STUDENT).to(cfg.DEVICE)
    pretrain(teacher, loader, cfg.DEVICE, steps=4)

    distiller = Distiller(student, teacher, cfg).to(cfg.DEVICE)
    opt = torch.optim.SGD(distiller.learnable_parameters(), lr=cfg.SOLVER.LR, momentum=0.9)
    for epoch in range(cfg.SOLVER.EPOCHS):
        for img, lab in loader:
            losses = distiller(img.to(cfg.DEVICE), lab.to(cfg.DEVICE))
            total = sum(losses.values())
            opt.zero_grad()
            total.backward()
            opt.step()
        print(epoch, {k: round(v.item(), 3) for k, v in losses.items()})


if __name__ == "__main__":
    main()
