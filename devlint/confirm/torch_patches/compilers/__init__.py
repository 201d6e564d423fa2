"""`torch.compile`, TorchScript and `torch.export`: what makes programs of programs."""
