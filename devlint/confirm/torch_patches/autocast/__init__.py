"""Autocast for CUDA, whose kernels in C++ cast nothing that is really on the CPU."""
