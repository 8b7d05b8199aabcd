"""Measurements against the official engine, in one run and in turns (docs/benchmarks.md)."""
