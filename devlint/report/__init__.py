"""Findings written out, one file per format."""
