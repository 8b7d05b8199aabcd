"""The stages that find constraint forces, one for each method, with what comes before and behind them."""

from conjoint.lang.language.name import Name
from conjoint.physics import status
from conjoint.runtime import capabilities as lack
from conjoint.runtime.stage import (
    COMPRESSED_ROWS,
    EDITION_4,
    SLEEP,
    Stage,
    by_islands,
    by_storage,
    by_storage_and_edition,
    for_rows,
)
from conjoint.schema.enums import mjtImpulse, mjtSolver

physics = Name("conjoint.physics")
solver = Name("conjoint.solver")
JACOBIANS = physics.constraint.jacobian.JACOBIANS
diagonal_sparse = solver.method.projection.diagonal_sparse
project_sparse = solver.method.projection.project_sparse
begin_complementarity = solver.paper.impulse.begin_complementarity

NEWTON, CG, PGS = mjtSolver.mjSOL_NEWTON, mjtSolver.mjSOL_CG, mjtSolver.mjSOL_PGS
COMPLEMENTARITY, DIAGONAL = mjtImpulse.mjIMP_COMPLEMENTARITY, mjtImpulse.mjIMP_DIAGONAL
DUAL = (PGS, COMPLEMENTARITY, DIAGONAL)
"""Solvers that find forces."""

NOSLIP = "opt.noslip_iterations"
COUNTS = solver.method.projection.count_dense, solver.method.projection.count_sparse
NOSLIP_STAGES = by_storage_and_edition(
    "mj_fwdConstraint", solver.method.noslip.solve_noslip, solver.method.noslip.NOSLIP, NOSLIP
)
NONZEROS = (
    (NEWTON, COMPRESSED_ROWS), (by_islands(NEWTON), COMPRESSED_ROWS), (PGS, COMPRESSED_ROWS),
)  # fmt: skip
CONSTRAINT = (
    Stage("mj_fwdConstraint", solver.method.editions.note_warmstart_4, (EDITION_4,)),
    Stage("mj_fwdConstraint", solver.method.editions.note_scale_4, (EDITION_4,)),
    Stage("mj_fwdConstraint", physics.sleep.fall.only_awake, (SLEEP,)),
    *for_rows("mj_fwdConstraint", (solver.method.projection.project_dense, project_sparse), PGS, COMPLEMENTARITY),
    *for_rows("mj_fwdConstraint", COUNTS, NOSLIP),
    *for_rows("mj_fwdConstraint", (solver.method.projection.diagonal_dense, diagonal_sparse), DIAGONAL),
    Stage("mj_fwdConstraint", solver.linear.sparsity.find_sparsity, NONZEROS[:1]),
    *by_storage_and_edition(
        "mj_fwdConstraint", solver.forward.solve_newton, solver.forward.NEWTONS, NEWTON, branched=True
    ),
    *by_storage_and_edition(
        "mj_fwdConstraint", solver.forward.solve_conjugate, solver.forward.CONJUGATES, CG, branched=True
    ),
    *by_storage_and_edition(
        "mj_fwdConstraint", solver.islands.solve_newton_islands, solver.islands.NEWTON_ISLANDS, by_islands(NEWTON)
    ),
    *by_storage_and_edition(
        "mj_fwdConstraint", solver.islands.solve_conjugate_islands, solver.islands.CONJUGATE_ISLANDS, by_islands(CG)
    ),
    *by_storage_and_edition("mj_fwdConstraint", solver.forward.solve_pgs, solver.method.pgs.PGS, PGS),
    Stage("mj_fwdConstraint", status.nonzeros_wanted, NONZEROS, only_for=("solver_nnz",)),
    *by_storage("mj_fwdConstraint", begin_complementarity, JACOBIANS, COMPLEMENTARITY, lacks=(lack.PYRAMIDS,)),
    Stage("mj_fwdConstraint", solver.paper.complementarity.solve_complementarity, (COMPLEMENTARITY,)),
    *by_storage("mj_fwdConstraint", solver.paper.impulse.begin_impulses, JACOBIANS, DIAGONAL),
    Stage("mj_fwdConstraint", solver.paper.impulse.solve_diagonal, (DIAGONAL,)),
    *by_storage("mj_fwdConstraint", solver.forward.finish_dual, JACOBIANS, *DUAL),
    *NOSLIP_STAGES,
    Stage("mj_fwdConstraint", solver.method.editions.restore_warmstart_4, (EDITION_4,)),
)
PROJECT = for_rows("mj_projectConstraint", COUNTS, *DUAL, NOSLIP)
