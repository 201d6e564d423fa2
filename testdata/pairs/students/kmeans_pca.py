"""Unsupervised part of the assignment: PCA and k-means without sklearn, then a linear probe by least squares."""
import time

import numpy as np
import torch


def get_device(verbose=True):
    if torch.cuda.is_available():
        dev = torch.device("cuda", torch.cuda.current_device())
    else:
        dev = torch.device("cpu")
    if verbose:
        print("using", dev.type)
    return dev


def blobs(n, d, k, seed):
    rng = np.random.default_rng(seed)
    centers = rng.normal(scale=4.0, size=(k, d))
    labels = rng.integers(0, k, size=n)
    return (centers[labels] + rng.normal(size=(n, d))).astype("float32"), labels


class PCA:
    def __init__(self, n_components):
        self.n_components = n_components

    def fit(self, X):
        self.mean_ = X.mean(dim=0, keepdim=True)
        _, S, Vh = torch.linalg.svd(X - self.mean_, full_matrices=False)
        self.components_ = Vh[: self.n_components]
        var = S ** 2 / (len(X) - 1)
        self.explained_variance_ratio_ = (var / var.sum())[: self.n_components]
        return self

    def transform(self, X):
        return (X - self.mean_) @ self.components_.T


class KMeans:
    def __init__(self, n_clusters, max_iter=25, tol=1e-4, n_init=2, seed=0):
        self.k = n_clusters
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.generator = torch.Generator().manual_seed(seed)

    def _init_plus_plus(self, X):
        first = torch.randint(len(X), (1,), generator=self.generator)
        centers = X[first]
        while len(centers) < self.k:
            d2 = torch.cdist(X, centers).min(dim=1).values ** 2
            nxt = torch.multinomial(d2.cpu() / d2.sum().cpu(), 1, generator=self.generator)
            centers = torch.cat([centers, X[nxt]])
        return centers

    def _update(self, X, assign, old):
        onehot_sum = torch.zeros_like(old).index_add_(0, assign, X)
        sizes = X.new_zeros(self.k).index_add_(0, assign, X.new_ones(len(X)))
        new = onehot_sum / sizes.clamp(min=1).unsqueeze(1)
        empty = sizes == 0
        new[empty] = old[empty]
        return new

    def fit(self, X):
        self.inertia_ = float("inf")
        for _ in range(self.n_init):
            centers = self._init_plus_plus(X)
            for it in range(self.max_iter):
                dist, assign = torch.cdist(X, centers).min(dim=1)
                new = self._update(X, assign, centers)
                shift = (new - centers).norm(dim=1).max()
                centers = new
                if shift < self.tol:
                    break
            inertia = (dist ** 2).sum().item()
            if inertia < self.inertia_:
                self.inertia_, self.centers_, self.labels_, self.n_iter_ = inertia, centers, assign, it + 1
        return self

    def predict(self, X):
        return torch.cdist(X, self.centers_).argmin(dim=1)


def purity(pred, truth, k):
    pred = pred.cpu().numpy()
    return sum(np.bincount(truth[pred == c], minlength=k).max() for c in range(k) if (pred == c).any()) / len(truth)


def least_squares_probe(Z, truth, k, ridge=1e-3):
    Z1 = torch.cat([Z, torch.ones(len(Z), 1, device=Z.device)], dim=1)
    Y = torch.nn.functional.one_hot(torch.as_tensor(truth, device=Z.device), k).to(Z.dtype)
    A = Z1.T @ Z1 + ridge * torch.eye(Z1.size(1)).to(Z)
    W = torch.linalg.solve(A, Z1.T @ Y)
    hits = (Z1 @ W).argmax(dim=1).cpu() == torch.from_numpy(truth)
    return hits.float().mean().item()


def main():
    device = get_device()
    k = 4
    data, truth = blobs(n=240, d=12, k=k, seed=3)
    X_train = torch.from_numpy(data[:200]).to(device)
    X_test = torch.from_numpy(data[200:]).to(device)

    tic = time.perf_counter()
    pca = PCA(n_components=3).fit(X_train)
    Z_train, Z_test = pca.transform(X_train), pca.transform(X_test)
    print("explained", np.round(pca.explained_variance_ratio_.cpu().numpy(), 3))

    km = KMeans(n_clusters=k, seed=1).fit(Z_train)
    print(f"k-means: {km.n_iter_} iterations, inertia {km.inertia_:.1f}")
    print(f"purity train {purity(km.labels_, truth[:200], k):.2f} test {purity(km.predict(Z_test), truth[200:], k):.2f}")
    print(f"linear probe {least_squares_probe(Z_train, truth[:200], k):.2f}")
    print(f"{time.perf_counter() - tic:.2f}s")


if __name__ == "__main__":
    main()
