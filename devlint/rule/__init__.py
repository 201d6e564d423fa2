"""What a rule is, and what it is made of."""
