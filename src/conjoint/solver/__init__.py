"""Constraint solvers: the convex optimisation that yields accelerations and constraint forces (pipeline stage 22).

A problem is the constraint rows of each world, `count` of them, behind accessors (`linear/`); what they cost is in
`cost/`; a method in `method/` minimises it along lines that `linesearch` searches. Stages get a third argument that
says how the rows are stored.
"""

from conjoint.solver.forward import (
    CONJUGATES,
    NEWTONS,
    finish_dual,
    solve_conjugate,
    solve_newton,
    solve_pgs,
)
from conjoint.solver.impulse import begin_complementarity, begin_impulses, solve_diagonal
from conjoint.solver.inverse import inv_constraint
from conjoint.solver.islands import (
    CONJUGATE_ISLANDS,
    NEWTON_ISLANDS,
    solve_conjugate_islands,
    solve_newton_islands,
)
from conjoint.solver.linear.project import diagonal_dense, project_dense
from conjoint.solver.linear.project_compressed import diagonal_sparse, project_sparse
from conjoint.solver.linear.sparsity import find_sparsity
from conjoint.solver.method.complementarity import solve_complementarity
from conjoint.solver.method.noslip import solve_noslip
from conjoint.solver.method.pgs import sweep_cones
from conjoint.solver.nonzeros import nonzeros_wanted
from conjoint.solver.posthoc import add_forces, find_posthoc, keep_acceleration, split_forces

__all__ = [
    "CONJUGATES",
    "CONJUGATE_ISLANDS",
    "NEWTONS",
    "NEWTON_ISLANDS",
    "add_forces",
    "begin_complementarity",
    "begin_impulses",
    "diagonal_dense",
    "diagonal_sparse",
    "find_sparsity",
    "find_posthoc",
    "finish_dual",
    "inv_constraint",
    "keep_acceleration",
    "nonzeros_wanted",
    "project_dense",
    "project_sparse",
    "solve_complementarity",
    "solve_conjugate",
    "solve_conjugate_islands",
    "solve_diagonal",
    "solve_newton",
    "solve_newton_islands",
    "solve_noslip",
    "solve_pgs",
    "split_forces",
    "sweep_cones",
]
