"""Calls to machine code from Python: loading kernels, calling them, and running tables of kernels."""
