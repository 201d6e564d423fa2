"""What tensors carry while CUDA is emulated, and how operators compare it."""
