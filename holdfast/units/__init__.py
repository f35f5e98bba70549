"""Quantities as people write them: durations, sizes, points in time."""
