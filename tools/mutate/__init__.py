"""Mutation testing: `python -m tools.mutate` measures how many small mistakes the tests detect (docs/testing.md)."""
