"""What a dry run looks at before it imports torch: the program, its files and its imports."""
