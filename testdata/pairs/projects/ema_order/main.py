from src.config import TrainConfig
from src.data import build_dataloaders
from src.models.unet import SmallUNet
from src.trainer import Trainer


def main() -> None:
    cfg = TrainConfig(steps=12, ema_decay=0.95)
    train_dl, val_dl = build_dataloaders(cfg)
    model = SmallUNet(in_ch=1, base=cfg.base_channels)
    trainer = Trainer(cfg, model, train_dl, val_dl)
    trainer.run()


if __name__ == "__main__":
    main()
