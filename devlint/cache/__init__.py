"""What a run keeps for the next one: on disk, checked when it is read, and thrown away at will."""
