"""The built-in rules, one file per rule, named like the rule."""
