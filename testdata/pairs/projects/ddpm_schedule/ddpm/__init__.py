from .diffusion import GaussianDiffusion
from .nets import NoisePredictor
from .schedules import make_schedule

__all__ = ["GaussianDiffusion", "NoisePredictor", "make_schedule"]
