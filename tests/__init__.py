"""Tests of devlint."""
