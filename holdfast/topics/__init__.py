"""Topics: types, serdes, time and durations."""
