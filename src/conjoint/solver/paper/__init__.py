"""Solvers of the 2012 paper that MuJoCo no longer includes: complementarity, diagonal, and post-hoc mode."""
