"""Benchmarks that compare Conjoint with MuJoCo; both run alternately in the same session (docs/benchmarks.md)."""
