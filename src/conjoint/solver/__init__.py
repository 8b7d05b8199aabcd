"""Constraint solvers: the convex optimisation that yields accelerations and constraint forces (pipeline stage 22).

A problem is the constraint rows of each world, `count` of them, behind accessors (`linear/`); what they cost is in
`cost/`; a method in `method/` minimises it along lines that `linesearch` searches.
"""

from conjoint.solver.forward import solve_conjugate, solve_newton, solve_pgs
from conjoint.solver.inverse import inv_constraint

__all__ = ["inv_constraint", "solve_conjugate", "solve_newton", "solve_pgs"]
