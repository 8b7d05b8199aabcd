"""Integration in time, checks before and after it, and the state as one vector (stages 1, 23 and 25)."""
