"""What is replaced in torch while CUDA is emulated."""
