"""`devlint confirm`: small programs that prove findings."""
