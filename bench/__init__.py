"""Ours and the peers on the same topic, one after the other."""
