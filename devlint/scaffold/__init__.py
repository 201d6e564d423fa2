"""New rules, and packs for them, that work as they are written."""
