"""A LightningModule with metrics, a checkpoint, and predictions of what was loaded."""

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torchmetrics.classification import MulticlassAccuracy


class Classifier(L.LightningModule):
    def __init__(self, lr=1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
        self.accuracy = MulticlassAccuracy(3)
        # bug 1: self.metrics = {"accuracy": MulticlassAccuracy(3)}  # born 1
        self.register_buffer("shift", torch.tensor([0.1, 0.0, -0.1]))
        # bug 2: self.shift = torch.tensor([0.1, 0.0, -0.1])  # born 2

    def forward(self, features):
        return self.net(features) + self.shift  # crash 2

    def training_step(self, batch, index):
        features, labels = batch
        loss = nn.functional.cross_entropy(self(features), labels)
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, index):
        features, labels = batch
        self.accuracy(self(features), labels)
        # bug 1: self.metrics["accuracy"](self(features), labels)  # crash 1
        self.log("accuracy", self.accuracy)
        # bug 1: pass

    def predict_step(self, batch, index):
        return self(batch[0]).argmax(-1)

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), lr=self.hparams.lr)
        return [optimizer], [torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 2)]


data = TensorDataset(torch.randn(24, 6), torch.randint(0, 3, (24,)))
loader = DataLoader(data, batch_size=8)
quiet = {"enable_progress_bar": False, "enable_model_summary": False, "logger": False}
trainer = L.Trainer(
    accelerator="cuda",
    devices=1,
    max_epochs=2,
    precision="16-mixed",
    default_root_dir="lightning",
    **quiet,
)
trainer.fit(Classifier(), loader, loader)
trainer.save_checkpoint("last.ckpt")
restored = Classifier.load_from_checkpoint("last.ckpt")
found = trainer.predict(restored, loader)
print(torch.cat(found).bincount(minlength=3).tolist())
