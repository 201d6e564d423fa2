"""Trees that were made to do harm: each is linted, and nothing but findings comes of it."""
