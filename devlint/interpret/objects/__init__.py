"""Modules, optimizers, loaders, files and the objects of Python itself."""
