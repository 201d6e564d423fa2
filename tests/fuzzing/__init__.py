"""Bytes at random for all that reads what others wrote, led by which code they reach."""
