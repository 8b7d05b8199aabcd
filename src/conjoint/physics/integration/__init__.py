"""Integration in time, checks before and after it, and state vectors (stages 1, 23 and 25)."""
