"""Programs cut into modules: what is found in one file is found in several."""
