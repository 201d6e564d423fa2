from .realnvp import RealNVP
