"""What libraries other than Python, PyTorch and NumPy do with devices."""
