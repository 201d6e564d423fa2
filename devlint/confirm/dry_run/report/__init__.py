"""What is told of a dry run: events, verdicts, tracebacks, gaps."""
