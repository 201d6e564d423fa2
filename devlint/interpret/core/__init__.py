"""The interpreter and what it keeps: heap, scopes, modules, containers."""
