"""IR, facts and values turned into device events."""
