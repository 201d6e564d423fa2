import torch
from torch.utils.data import DataLoader, Dataset


class Stripes(Dataset):
    def __init__(self, n, num_classes, with_labels):
        self.y = torch.randint(num_classes, (n,))
        phase = torch.rand(n, 1, 1)
        grid = torch.arange(12).float()
        freq = (1 + self.y.float()).view(-1, 1, 1)
        self.x = torch.sin(freq * grid[None, :, None] / 2 + 6.28 * phase).expand(-1, 12, 12).unsqueeze(1).clone()
        self.with_labels = with_labels

    def __len__(self):
        return len(self.y)

    @staticmethod
    def weak(x):
        return torch.roll(x, int(torch.randint(-1, 2, ())), dims=-1)

    @staticmethod
    def strong(x):
        x = x + 0.3 * torch.randn_like(x)
        top = int(torch.randint(0, 8, ()))
        x[:, top:top + 3] = 0
        return x

    def __getitem__(self, i):
        x = self.x[i]
        if self.with_labels:
            return self.weak(x), self.y[i]
        return self.weak(x), self.strong(x)


def labeled_loader(opt):
    return DataLoader(Stripes(opt.labeled, opt.num_classes, True), opt.batch, shuffle=True, drop_last=True)


def unlabeled_loader(opt):
    return DataLoader(Stripes(opt.unlabeled, opt.num_classes, False), 2 * opt.batch, shuffle=True, drop_last=True)
