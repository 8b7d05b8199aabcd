"""Constraint solvers: the convex optimisation that yields accelerations and constraint forces (pipeline stage 22).

A problem is the constraint rows of each world, `count` of them, behind accessors (`linear/`); what they cost is in
`cost/`; a method in `method/` minimises it along lines that `linesearch` searches.
"""

from conjoint.solver.forward import (
    finish_dual,
    finish_dual_compressed,
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
from conjoint.solver.impulse import (
    begin_complementarity,
    begin_complementarity_compressed,
    diagonal_compressed,
    diagonal_dense,
    solve_diagonal,
)
from conjoint.solver.inverse import inv_compressed, inv_constraint
from conjoint.solver.islands import (
    solve_conjugate_compressed_islands,
    solve_conjugate_islands,
    solve_newton_compressed_islands,
    solve_newton_islands,
)
from conjoint.solver.linear.fill import find_fill
from conjoint.solver.method.complementarity import solve_complementarity
from conjoint.solver.method.noslip import solve_noslip
from conjoint.solver.method.pgs import sweep_cones
from conjoint.solver.nonzeros import nonzeros_wanted
from conjoint.solver.posthoc import (
    add_forces,
    add_forces_compressed,
    find_posthoc,
    find_posthoc_compressed,
    keep_acceleration,
    split_forces,
)

__all__ = [
    "add_forces",
    "add_forces_compressed",
    "find_posthoc",
    "find_posthoc_compressed",
    "keep_acceleration",
    "split_forces",
    "begin_complementarity",
    "begin_complementarity_compressed",
    "diagonal_compressed",
    "diagonal_dense",
    "find_fill",
    "finish_dual",
    "finish_dual_compressed",
    "inv_compressed",
    "inv_constraint",
    "nonzeros_wanted",
    "project_noslip",
    "project_noslip_compressed",
    "project_rows",
    "project_rows_compressed",
    "solve_complementarity",
    "solve_conjugate",
    "solve_conjugate_compressed",
    "solve_conjugate_compressed_islands",
    "solve_conjugate_islands",
    "solve_diagonal",
    "solve_newton",
    "solve_newton_compressed",
    "solve_newton_compressed_islands",
    "solve_newton_islands",
    "solve_noslip",
    "solve_pgs",
    "solve_pgs_compressed",
    "sweep_cones",
]
