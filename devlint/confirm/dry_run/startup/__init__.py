"""A folder for the path of Python: what Python runs at the start of each process stands in it."""
