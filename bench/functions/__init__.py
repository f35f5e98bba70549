"""Functions in Python: ours and Python's other stream libraries on the same events."""
