"""The runtime companion: runs programs on emulated CUDA; the only importer of torch."""
