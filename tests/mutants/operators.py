"""All operators; a mutant belongs to the first that makes it."""

from __future__ import annotations

from . import making, moving

OPERATORS = (*moving.OPERATORS, *making.OPERATORS)
