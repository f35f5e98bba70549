"""Runners: each runs one kind of function on the records of a call."""
