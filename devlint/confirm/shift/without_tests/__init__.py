"""`devlint shift`: the modules and the docstring examples of a package, called without tests."""
