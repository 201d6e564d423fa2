"""What breaks around devlint while it runs: it says so in a line, and harms nothing."""
