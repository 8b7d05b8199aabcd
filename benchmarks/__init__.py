"""Measurements against the official engine, in one run and in turns: `make bench`, or `python -m benchmarks.step --help`."""
