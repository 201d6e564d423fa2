"""Documents: files as devlint reads them, of one or more programs, and as edits leave them."""
