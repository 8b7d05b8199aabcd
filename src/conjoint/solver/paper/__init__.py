"""Solvers of the 2012 paper that the official engine no longer has: complementarity, diagonal, post-hoc mode."""
