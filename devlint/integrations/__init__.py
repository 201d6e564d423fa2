"""devlint within other linters."""
