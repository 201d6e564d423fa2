"""Many projects, analysed one by one, with results as tables."""
