"""`MjModel`, `MjData`, their parts, and how they are read, written and printed."""
