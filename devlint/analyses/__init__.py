"""One file for each question that is asked of a run."""
