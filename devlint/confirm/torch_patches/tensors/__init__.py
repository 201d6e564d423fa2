"""Tensors: what they say of themselves, those that consist of others, and their memory."""
