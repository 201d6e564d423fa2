"""The pictures of the documents, drawn from what devlint prints: `make pictures`."""
