"""Values of a type as columns of Arrow, JSON and rows, and back."""
