"""Programs that a generator writes, run on emulated CUDA: what the linter says is what happens."""
