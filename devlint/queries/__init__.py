"""Questions about the text of a program alone; nothing here interprets."""
