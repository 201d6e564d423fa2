"""What batches are scanned by."""
