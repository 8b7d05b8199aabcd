"""Constraint rows of equalities, friction loss, limits and contacts: Jacobian, reference and regularization.

Rows are counted (`count`), their memory is cleared (`assemble`), then they are filled one world at a time. Reference
accelerations are computed later, when velocities are known. See the Computation chapter, section "Constraint model".
"""
