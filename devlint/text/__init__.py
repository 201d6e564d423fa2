"""Source text, lines and the paths that users see."""
