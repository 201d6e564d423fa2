from .config import LMConfig
from .transformer import CharLM
