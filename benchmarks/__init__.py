"""Measurements against the official engine, in one run and in turns. `python -m benchmarks.step --help` and so on; `make bench`."""
