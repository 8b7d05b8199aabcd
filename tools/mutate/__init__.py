"""Whether the tests notice a change of the physics: `python -m tools.mutate` (docs/testing.md)."""
