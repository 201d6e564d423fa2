"""A sample rule pack for devlint."""
