"""Functions of a program that run in Python: what they get, what they give, where they run."""
