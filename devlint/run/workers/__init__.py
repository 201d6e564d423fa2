"""Files checked by several processes, with the findings that one of them would have."""
