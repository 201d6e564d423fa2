"""What projects are read from: folders, archives, git repositories and Parquet, into memory."""
