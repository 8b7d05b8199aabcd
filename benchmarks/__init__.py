"""Measurements against the official engine, in one run and in turns. `make bench` runs them all."""
