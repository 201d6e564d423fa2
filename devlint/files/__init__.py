"""Files: which ones are checked, and how one is replaced at once or not at all."""
