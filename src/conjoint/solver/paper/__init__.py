"""Solvers of the 2012 paper that MuJoCo no longer has: complementarity, diagonal, post-hoc mode."""
