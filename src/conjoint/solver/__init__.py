"""Constraint solvers: the convex optimisation that yields accelerations and constraint forces (pipeline stage 22)."""

from conjoint.solver.forward import fwd_constraint
from conjoint.solver.inverse import inv_constraint

__all__ = ["fwd_constraint", "inv_constraint"]
