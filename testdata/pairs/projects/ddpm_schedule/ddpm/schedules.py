import math

import numpy as np


def linear_betas(T):
    scale = 1000 / T
    return np.linspace(scale * 1e-4, min(scale * 0.02, 0.5), T, dtype=np.float64)


def cosine_betas(T, s=0.008):
    def f(t):
        return math.cos((t / T + s) / (1 + s) * math.pi / 2) ** 2
    return np.array([min(1 - f(i + 1) / f(i), 0.999) for i in range(T)])


_SCHEDULES = {"linear": linear_betas, "cosine": cosine_betas}


def make_schedule(name, T):
    try:
        return _SCHEDULES[name](T)
    except KeyError:
        raise ValueError(f"unknown schedule {name}, choose from {sorted(_SCHEDULES)}")
