"""Optimizers, loaders, files and the objects of Python itself."""
