"""`pytest --devlint-shift`."""
