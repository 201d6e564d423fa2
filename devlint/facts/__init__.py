"""What PyTorch does across devices, as data."""
