"""`python -m devlint`."""

from devlint.cli import main

main(prog_name="devlint")
