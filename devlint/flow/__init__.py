"""Structured control flow: states, joins and fixed points; knows nothing of devices."""
