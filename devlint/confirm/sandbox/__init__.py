"""Runs in which the files of the user stay as they are."""
