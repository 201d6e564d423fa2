"""`pytest --devlint-device`."""
