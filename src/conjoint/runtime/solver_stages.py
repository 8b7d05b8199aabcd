"""The stages that find constraint forces, one for each method, with what comes before and behind them."""

from conjoint.physics import status
from conjoint.physics.constraint.jacobian import JACOBIANS
from conjoint.physics.sleep import fall
from conjoint.runtime import capabilities as lack
from conjoint.runtime.stage import (
    COMPRESSED_ROWS,
    NOSLIP_BY_ISLANDS,
    NOSLIP_TOGETHER,
    SLEEP,
    Stage,
    by_islands,
    by_solver_rules,
    by_storage,
    for_rows,
)
from conjoint.schema.enums import mjtImpulse, mjtSolver
from conjoint.schema.semantics import on
from conjoint.solver.forward import (
    CONJUGATES,
    NEWER_CONJUGATES,
    NEWER_NEWTONS,
    NEWTONS,
    finish_dual,
    note_warmstart,
    restore_warmstart,
    solve_conjugate,
    solve_conjugate_by_rules,
    solve_newton,
    solve_newton_by_rules,
    solve_pgs,
    solve_pgs_by_rules,
)
from conjoint.solver.islands import (
    CONJUGATE_ISLANDS,
    NEWER_CONJUGATE_ISLANDS,
    NEWER_NEWTON_ISLANDS,
    NEWTON_ISLANDS,
    solve_conjugate_islands,
    solve_conjugate_islands_by_rules,
    solve_newton_islands,
    solve_newton_islands_by_rules,
)
from conjoint.solver.linear.half_rows import HALF_ROWS
from conjoint.solver.linear.sparsity import find_sparsity
from conjoint.solver.method.dual import IN_ROWS, NEWER_IN_ROWS
from conjoint.solver.method.noslip import solve_noslip, solve_noslip_by_rules
from conjoint.solver.method.noslip_islands import begin_noslip_islands, finish_noslip_islands, sweep_noslip_islands
from conjoint.solver.method.ordered_sweeps import sweep_by_rules
from conjoint.solver.method.pgs import sweep_cones
from conjoint.solver.method.projection import (
    count_dense,
    count_sparse,
    diagonal_dense,
    diagonal_sparse,
    project_dense,
    project_sparse,
)
from conjoint.solver.paper.complementarity import solve_complementarity
from conjoint.solver.paper.impulse import begin_complementarity, begin_impulses, solve_diagonal

NEWTON, CG, PGS = mjtSolver.mjSOL_NEWTON, mjtSolver.mjSOL_CG, mjtSolver.mjSOL_PGS
COMPLEMENTARITY, DIAGONAL = mjtImpulse.mjIMP_COMPLEMENTARITY, mjtImpulse.mjIMP_DIAGONAL
DUAL = (PGS, COMPLEMENTARITY, DIAGONAL)
"""Solvers that find forces."""

NOSLIP = "opt.noslip_iterations"
COUNTS = count_dense, count_sparse
NONZEROS = (
    (NEWTON, COMPRESSED_ROWS), (by_islands(NEWTON), COMPRESSED_ROWS), (PGS, COMPRESSED_ROWS),
)  # fmt: skip
START_RULE = (on("warmstart"),)
CONSTRAINT = (
    Stage("mj_fwdConstraint", note_warmstart, START_RULE),
    Stage("mj_fwdConstraint", fall.only_awake, (SLEEP,)),
    *for_rows("mj_fwdConstraint", (project_dense, project_sparse), PGS, COMPLEMENTARITY),
    *for_rows("mj_fwdConstraint", COUNTS, NOSLIP),
    *for_rows("mj_fwdConstraint", (diagonal_dense, diagonal_sparse), DIAGONAL),
    Stage("mj_fwdConstraint", find_sparsity, NONZEROS[:1]),
    *by_solver_rules("mj_fwdConstraint", (solve_newton, solve_newton_by_rules), (NEWTONS, NEWER_NEWTONS), NEWTON),
    *by_solver_rules(
        "mj_fwdConstraint", (solve_conjugate, solve_conjugate_by_rules), (CONJUGATES, NEWER_CONJUGATES), CG
    ),
    *by_solver_rules(
        "mj_fwdConstraint",
        (solve_newton_islands, solve_newton_islands_by_rules),
        (NEWTON_ISLANDS, NEWER_NEWTON_ISLANDS),
        by_islands(NEWTON),
    ),
    *by_solver_rules(
        "mj_fwdConstraint",
        (solve_conjugate_islands, solve_conjugate_islands_by_rules),
        (CONJUGATE_ISLANDS, NEWER_CONJUGATE_ISLANDS),
        by_islands(CG),
    ),
    *by_solver_rules("mj_fwdConstraint", (solve_pgs, solve_pgs_by_rules), (IN_ROWS, NEWER_IN_ROWS), PGS),
    *by_solver_rules("mj_fwdConstraint", (sweep_cones, sweep_by_rules), (IN_ROWS, NEWER_IN_ROWS), PGS),
    Stage("mj_fwdConstraint", status.nonzeros_wanted, NONZEROS, only_for=("solver_nnz",)),
    *by_storage("mj_fwdConstraint", begin_complementarity, JACOBIANS, COMPLEMENTARITY, lacks=(lack.PYRAMIDS,)),
    Stage("mj_fwdConstraint", solve_complementarity, (COMPLEMENTARITY,)),
    *by_storage("mj_fwdConstraint", begin_impulses, JACOBIANS, DIAGONAL),
    Stage("mj_fwdConstraint", solve_diagonal, (DIAGONAL,)),
    *by_storage("mj_fwdConstraint", finish_dual, JACOBIANS, *DUAL),
    *by_solver_rules(
        "mj_fwdConstraint", (solve_noslip, solve_noslip_by_rules), (HALF_ROWS, HALF_ROWS), NOSLIP_TOGETHER
    ),
    *by_storage("mj_fwdConstraint", begin_noslip_islands, HALF_ROWS, NOSLIP_BY_ISLANDS),
    *by_storage("mj_fwdConstraint", sweep_noslip_islands, HALF_ROWS, NOSLIP_BY_ISLANDS),
    *by_storage("mj_fwdConstraint", finish_noslip_islands, HALF_ROWS, NOSLIP_BY_ISLANDS),
    Stage("mj_fwdConstraint", restore_warmstart, START_RULE),
)
PROJECT = for_rows("mj_projectConstraint", COUNTS, *DUAL, NOSLIP)
