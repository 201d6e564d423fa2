"""Emulated CUDA as a whole, and the PyTorch that it needs."""
