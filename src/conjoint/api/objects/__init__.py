"""`MjModel`, `MjData` and their parts: attributes, files and printing."""
