"""Projects: which modules a tree has, what an import means in it, and in which order to look."""
