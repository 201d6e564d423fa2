"""Expressions, statements and programs as a whole."""
