"""The documentation site: pages of the repository and pages made of its code, for Sphinx."""
