"""The runtime companion: runs programs on a CUDA that is not there; the only importer of torch."""
