"""Runs in which the files of the user stay as they are."""

#: What a process finds its sandbox by.
VARIABLE = "DEVLINT_SANDBOX"
