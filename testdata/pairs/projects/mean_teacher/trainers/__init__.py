from .base import SupervisedTrainer
from .semi import FixMatchTrainer

TRAINERS = {"supervised": SupervisedTrainer, "fixmatch": FixMatchTrainer}
