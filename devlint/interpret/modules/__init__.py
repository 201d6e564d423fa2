"""Modules: what is called on them, what they are given and give, and what they derive from."""
