"""A run over files, from the settings of each to its findings and fixes."""
