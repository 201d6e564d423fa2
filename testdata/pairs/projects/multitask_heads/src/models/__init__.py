from src.models.multitask import MultiTaskNet
