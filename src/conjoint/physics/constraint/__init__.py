"""Constraint rows: friction loss, limits and contacts; each a row of the Jacobian, a reference and a regularization.

Rows are counted (`count`), their memory is cleared (`assemble`), then they are filled one world at a time. The
reference acceleration is computed later, when velocities are known. See the Computation chapter, section
"Constraint model".
"""
