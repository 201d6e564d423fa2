import torch.nn as nn


class ConvNet(nn.Module):
    def __init__(self, num_classes, ch=8):
        super(ConvNet, self).__init__()
        self.conv1 = nn.Conv2d(1, ch, 3, padding=1)
        self.bn1 = nn.BatchNorm2d(ch)
        self.conv2 = nn.Conv2d(ch, 2 * ch, 3, stride=2, padding=1)
        self.bn2 = nn.BatchNorm2d(2 * ch)
        self.fc = nn.Linear(2 * ch, num_classes)

    def forward(self, x):
        x = nn.functional.relu(self.bn1(self.conv1(x)))
        x = nn.functional.relu(self.bn2(self.conv2(x)))
        return self.fc(x.mean((2, 3)))


class MLP(nn.Module):
    def __init__(self, num_classes):
        super(MLP, self).__init__()
        self.net = nn.Sequential(nn.Flatten(), nn.Linear(144, 32), nn.ReLU(), nn.Linear(32, num_classes))

    def forward(self, x):
        return self.net(x)


def create_model(opt):
    return {"convnet": ConvNet, "mlp": MLP}[opt.arch](opt.num_classes)
