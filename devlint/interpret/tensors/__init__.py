"""Tensors: how they are made, moved and combined."""
