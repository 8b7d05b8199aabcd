"""Constraint solvers: the convex optimisation that yields accelerations and constraint forces (stage 22 of the pipeline)."""

from .forward import fwd_constraint
from .inverse import inv_constraint

__all__ = ["fwd_constraint", "inv_constraint"]
