"""Constraint solvers: the convex optimisation that yields accelerations and constraint forces (pipeline stage 22).

A problem is the constraint rows of each world, `count` of them, behind accessors (`linear/`); what they cost is in
`cost/`; a method in `method/` minimises it along lines that `linesearch` searches.
"""

from conjoint.solver.forward import (
    finish_pgs,
    finish_pgs_compressed,
    project_noslip,
    project_noslip_compressed,
    project_rows,
    project_rows_compressed,
    solve_conjugate,
    solve_conjugate_compressed,
    solve_newton,
    solve_newton_compressed,
    solve_pgs,
    solve_pgs_compressed,
)
from conjoint.solver.inverse import inv_compressed, inv_constraint
from conjoint.solver.islands import (
    solve_conjugate_compressed_islands,
    solve_conjugate_islands,
    solve_newton_compressed_islands,
    solve_newton_islands,
)
from conjoint.solver.linear.fill import find_fill
from conjoint.solver.method.noslip import solve_noslip
from conjoint.solver.method.pgs import sweep_cones

__all__ = [
    "find_fill",
    "finish_pgs",
    "finish_pgs_compressed",
    "inv_compressed",
    "inv_constraint",
    "project_noslip",
    "project_noslip_compressed",
    "project_rows",
    "project_rows_compressed",
    "solve_conjugate",
    "solve_conjugate_compressed",
    "solve_conjugate_compressed_islands",
    "solve_conjugate_islands",
    "solve_newton",
    "solve_newton_compressed",
    "solve_newton_compressed_islands",
    "solve_newton_islands",
    "solve_noslip",
    "solve_pgs",
    "solve_pgs_compressed",
    "sweep_cones",
]
