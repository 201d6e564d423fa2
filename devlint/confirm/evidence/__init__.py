"""What PyTorch does on real CUDA, measured so that it can be kept and the emulation compared."""
