import torch.nn as nn


def stage(cin, cout):
    return nn.Sequential(nn.Conv2d(cin, cout, 3, stride=2, padding=1), nn.BatchNorm2d(cout), nn.ReLU())


class StageNet(nn.Module):
    def __init__(self, widths, num_classes):
        super().__init__()
        self.widths = widths
        self.stage1 = stage(1, widths[0])
        self.stage2 = stage(widths[0], widths[1])
        self.head = nn.Linear(widths[1], num_classes)

    def forward(self, x):
        x = self.stage2(self.stage1(x))
        return self.head(x.mean(dim=(2, 3)))


def build_net(node):
    return StageNet(node.WIDTHS, node.CLASSES)
