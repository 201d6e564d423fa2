"""Scans of many projects."""
