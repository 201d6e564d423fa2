"""Laws of the analysis, each over the cases of all specs and rule pages."""

import devlint.interpret.language.program  # noqa: F401  # First, while imports go in a circle.
