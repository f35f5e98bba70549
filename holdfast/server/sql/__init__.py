"""`POST /sql`: one SELECT over the stores of an app at one epoch."""
