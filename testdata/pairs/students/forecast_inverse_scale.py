# Airline passengers style forecast with a GRU, "MinMaxScaler" in torch
from copy import deepcopy

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(42)
device = 'cuda' if torch.cuda.is_available() else 'cpu'


class MinMaxScaler:
    def __init__(self, feature_range=(-1, 1)):
        self.a, self.b = feature_range

    def fit(self, x):
        self.min_ = x.min(dim=0, keepdim=True).values
        self.max_ = x.max(dim=0, keepdim=True).values
        return self

    def transform(self, x):
        z = (x - self.min_) / (self.max_ - self.min_)
        return z * (self.b - self.a) + self.a

    def inverse_transform(self, z):
        z = (z - self.a) / (self.b - self.a)
        return z * (self.max_ - self.min_) + self.min_


def create_sequences(data, lookback, horizon=1):
    xs, ys = [], []
    for i in range(len(data) - lookback - horizon + 1):
        xs.append(data[i:i + lookback])
        ys.append(data[i + lookback:i + lookback + horizon, 0])
    return torch.stack(xs), torch.stack(ys)


class GRUForecaster(nn.Module):
    def __init__(self, n_features, hidden_dim=16, num_layers=1, horizon=1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.num_layers = num_layers
        self.gru = nn.GRU(n_features, hidden_dim, num_layers, batch_first=True)
        self.fc = nn.Linear(hidden_dim, horizon)

    def init_hidden(self, batch_size):
        return torch.zeros(self.num_layers, batch_size, self.hidden_dim, device=self.fc.weight.device)

    def forward(self, x):
        out, _ = self.gru(x, self.init_hidden(x.size(0)))
        return self.fc(out[:, -1])


# two columns: passengers, temperature
months = np.arange(120)
passengers = 100 + 2 * months + 25 * np.sin(months * 2 * np.pi / 12)
temperature = 12 - 9 * np.cos(months * 2 * np.pi / 12) + np.random.default_rng(0).normal(size=120)
values = torch.from_numpy(np.stack([passengers, temperature], axis=1)).float()
n_train = 90
LOOKBACK, HORIZON = 12, 3
scaler = MinMaxScaler().fit(values[:n_train])
target_scaler = MinMaxScaler().fit(values[:n_train, :1])
scaled = scaler.transform(values)

X_train, y_train = create_sequences(scaled[:n_train], LOOKBACK, HORIZON)
X_test, y_test = create_sequences(scaled[n_train - LOOKBACK:], LOOKBACK, HORIZON)
train_loader = DataLoader(TensorDataset(X_train, y_train), batch_size=16, shuffle=True)
test_loader = DataLoader(TensorDataset(X_test, y_test), batch_size=16, shuffle=False)
print(X_train.shape, y_train.shape, X_test.shape)

model = GRUForecaster(n_features=2, horizon=HORIZON).to(device)
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

best_loss, best_weights = float('inf'), None
for epoch in range(5):
    model.train()
    for xb, yb in train_loader:
        y_hat = model(xb.to(device))
        loss = criterion(y_hat, yb.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        val = sum(criterion(model(xb.to(device)), yb.to(device)).item() for xb, yb in test_loader) / len(test_loader)
    if val < best_loss:
        best_loss, best_weights = val, deepcopy(model.state_dict())
model.load_state_dict(best_weights)
print('best scaled MSE', round(best_loss, 4))


def evaluate(loader):
    """Returns (predictions, truth) in passengers, as numpy arrays."""
    model.eval()
    preds, truth = [], []
    with torch.no_grad():
        for xb, yb in loader:
            y_hat = model(xb.to(device)).cpu()
            preds.append(target_scaler.inverse_transform(y_hat))
            truth.append(target_scaler.inverse_transform(yb))
    return torch.cat(preds).cpu().numpy(), torch.cat(truth).numpy()


y_pred, y_true = evaluate(test_loader)
rmse = np.sqrt(((y_pred - y_true) ** 2).mean(axis=0))
mape = np.abs((y_true - y_pred) / y_true).mean()
for h, r in enumerate(rmse, 1):
    print(f't+{h}: RMSE {r:.2f}')
print(f'MAPE {100 * mape:.1f}%')
