"""Measure the share of small mistakes that the tests notice: `python -m tools.mutate` (docs/testing.md)."""
