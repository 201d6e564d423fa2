"""Seeded mutants: correct programs with one bug put in, and how many devlint sees."""
