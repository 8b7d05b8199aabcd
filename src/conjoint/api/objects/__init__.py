"""`MjModel`, `MjData` and their parts, with attributes, binary files and printing."""
