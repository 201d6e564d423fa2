"""What is known of the values of a file, and where that comes from."""
