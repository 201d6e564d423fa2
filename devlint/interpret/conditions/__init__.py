"""Tests of branches: when two are the same, which are known, and what they say of values."""
