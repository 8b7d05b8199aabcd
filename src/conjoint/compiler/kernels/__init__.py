"""Kernels of the compiler, and what they have in common with the compiler of small models."""

THIN = 1e-14
"""Positions that differ less are the same, and boxes that are thinner are made thicker (mjEPS)."""
