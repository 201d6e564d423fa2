"""Laws of the analysis, each over the cases of all specs and rule pages."""
