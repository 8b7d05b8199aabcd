"""Kernels of the compiler, and constants shared with the code for small models."""

THIN = 1e-14
"""Tolerance for equal positions, and minimum thickness of boxes (mjEPS)."""
