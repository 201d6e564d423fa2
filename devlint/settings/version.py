"""Whether this version of devlint is one that a file asks for."""

from __future__ import annotations


def is_requirement(text: str) -> bool:
    """Whether a text is a version specifier (PEP 440), such as `>=0.2,<1` or `~=0.1`."""
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    try:
        return bool(SpecifierSet(text))
    except InvalidSpecifier:
        return False


def meets(version: str, requirement: str) -> bool:
    """Whether a version is one that a specifier names; one on the way to a release is taken for
    that."""
    from packaging.specifiers import SpecifierSet
    from packaging.version import Version

    return SpecifierSet(requirement).contains(Version(version).base_version)
