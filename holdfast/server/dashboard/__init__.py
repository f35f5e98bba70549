"""The page at `/`: what an app does, now and in the last hours."""
