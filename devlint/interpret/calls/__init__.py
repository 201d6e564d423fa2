"""Calls: what is called, with what, and what comes of it."""
