from .base import Flow
from .coupling import ActNorm, AffineCoupling


class RealNVP(Flow):
    def __init__(self, dim, n_layers, hidden):
        super().__init__(dim)
        for i in range(n_layers):
            self.bijections.append(ActNorm(dim))
            self.bijections.append(AffineCoupling(dim, hidden, flip=i % 2 == 1))
