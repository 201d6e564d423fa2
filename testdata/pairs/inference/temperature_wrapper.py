import torch
from torch import nn, optim
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset


class ModelWithTemperature(nn.Module):
    """
    A thin decorator, which wraps a model with temperature scaling.
    The wrapped model must return logits, not softmax.
    """

    def __init__(self, model):
        super(ModelWithTemperature, self).__init__()
        self.model = model
        self.temperature = nn.Parameter(torch.ones(1) * 1.5)

    def forward(self, input):
        logits = self.model(input)
        return self.temperature_scale(logits)

    def temperature_scale(self, logits):
        temperature = self.temperature.unsqueeze(1).expand(logits.size(0), logits.size(1))
        return logits / temperature

    def set_temperature(self, logits, labels, lr=0.01, max_iter=50):
        """Tune the temperature on the validation logits with the NLL."""
        nll_criterion = nn.CrossEntropyLoss()
        optimizer = optim.LBFGS([self.temperature], lr=lr, max_iter=max_iter)

        def closure():
            optimizer.zero_grad()
            loss = nll_criterion(self.temperature_scale(logits), labels)
            loss.backward()
            return loss

        optimizer.step(closure)
        return self.temperature.item()


class ECELoss(nn.Module):
    def __init__(self, n_bins=10):
        super(ECELoss, self).__init__()
        bounds = torch.linspace(0, 1, n_bins + 1)
        self.bin_lowers = bounds[:-1]
        self.bin_uppers = bounds[1:]

    def forward(self, logits, labels):
        confidences, predictions = torch.max(F.softmax(logits, dim=1), 1)
        accuracies = predictions.eq(labels)
        ece = torch.zeros(1, device=logits.device)
        for lo, hi in zip(self.bin_lowers, self.bin_uppers):
            in_bin = confidences.gt(lo.item()) * confidences.le(hi.item())
            prop_in_bin = in_bin.float().mean()
            if prop_in_bin.item() > 0:
                gap = confidences[in_bin].mean() - accuracies[in_bin].float().mean()
                ece += gap.abs() * prop_in_bin
        return ece


def make_model(width=32, classes=5):
    return nn.Sequential(nn.Linear(10, width), nn.ReLU(), nn.Dropout(0.2), nn.Linear(width, classes))


def fit(model, loader, device, epochs=8):
    opt = optim.SGD(model.parameters(), lr=0.2, momentum=0.9)
    model.train()
    for _ in range(epochs):
        for x, y in loader:
            opt.zero_grad()
            F.cross_entropy(model(x.to(device)), y.to(device)).backward()
            opt.step()


@torch.no_grad()
def collect(model, loader, device):
    model.eval()
    pairs = [(model(x.to(device)), y.to(device)) for x, y in loader]
    logits, labels = zip(*pairs)
    return torch.cat(logits), torch.cat(labels)


def dataset(n, centers, seed):
    g = torch.Generator().manual_seed(seed)
    y = torch.randint(0, len(centers), (n,), generator=g)
    x = centers[y] + torch.randn(n, centers.size(1), generator=g)
    return TensorDataset(x, y)


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    centers = torch.randn(5, 10)
    train_loader = DataLoader(dataset(128, centers, 0), batch_size=32, shuffle=True)
    valid_loader = DataLoader(dataset(96, centers, 1), batch_size=32)

    model = make_model().to(device)
    fit(model, train_loader, device)
    logits, labels = collect(model, valid_loader, device)
    ece = ECELoss()
    print("ECE before: %.4f" % ece(logits, labels).item())

    scaled = ModelWithTemperature(model).to(device)
    t = scaled.set_temperature(logits, labels)
    with torch.no_grad():
        print("temperature %.3f, ECE after: %.4f" % (t, ece(scaled.temperature_scale(logits), labels).item()))


if __name__ == "__main__":
    main()
