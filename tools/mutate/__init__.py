"""Measure whether the tests notice small mistakes: `python -m tools.mutate` (docs/testing.md)."""
