"""The abstract domain: devices, values and objects."""
