"""Integration in time, what is checked before and after it, and the state as one vector (stages 1, 23 and 25)."""
