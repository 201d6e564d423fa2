"""A rule with an analysis of its own."""
