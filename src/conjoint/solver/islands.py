"""Solution of constraint islands one after another: a method solves an island as if it were a whole world."""

from dataclasses import dataclass, replace

from conjoint.lang import Group, Kernel, Part, kernel, within
from conjoint.physics.constraint.jacobian import COMPRESSED, DENSE, Jacobian
from conjoint.physics.inertia_matrix.composite import mul_M
from conjoint.physics.status import FILL_FULL
from conjoint.schema.constants import mjNISLAND
from conjoint.schema.enums import mjtSolver
from conjoint.solver.cost import cost_at, prepare
from conjoint.solver.forward import begin, end
from conjoint.solver.inverse import residuals
from conjoint.solver.linear.hessian import same_row
from conjoint.solver.linear.sparsity import find_sparsity
from conjoint.solver.method.descent import Space, descend, inertial_cost, uses_warm_start, warm_cost
from conjoint.solver.method.dofs import CONJUGATE, CONJUGATE_COMPRESSED, NEWTON
from conjoint.solver.method.editions import IN_ISLAND, Edition
from conjoint.solver.method.newton_blocks import BLOCKS

WHOLE = {
    "m.nv": ("island_nv", "number"), "m.nsolverstat": ("island.nsolverstat", "number"),
    "m.stat.meaninertia": ("island.meaninertia", "number"),
    "m.M_rownnz": ("iM_rownnz", "island_idofadr"), "m.M_rowadr": ("iM_rowadr", "island_idofadr"),
    "m.M_colnnz": ("island.M_colnnz", "island_idofadr"), "m.M_colind": ("iM_colind", ""),
    "d.M": ("iM", ""), "d.qLD": ("iLD", ""),
    "d.qLDiagInv": ("iLDiagInv", "island_idofadr"), "d.qacc": ("iacc", "island_idofadr"),
    "d.qacc_warmstart": ("island.acc_warmstart", "island_idofadr"), "d.qacc_smooth": ("iacc_smooth", "island_idofadr"),
    "d.qfrc_smooth": ("ifrc_smooth", "island_idofadr"), "d.qfrc_constraint": ("ifrc_constraint", "island_idofadr"),
    "d.ne": ("island_ne", "number"), "d.nf": ("island_nf", "number"), "d.nefc": ("island_nefc", "number"),
    "d.efc_type": ("iefc_type", "island_iefcadr"), "d.efc_id": ("iefc_id", "island_iefcadr"),
    "d.efc_frictionloss": ("iefc_frictionloss", "island_iefcadr"),
    "d.efc_D": ("iefc_D", "island_iefcadr"), "d.efc_R": ("iefc_R", "island_iefcadr"),
    "d.efc_aref": ("iefc_aref", "island_iefcadr"), "d.efc_b": ("island.b", "island_iefcadr"),
    "d.efc_state": ("iefc_state", "island_iefcadr"), "d.efc_force": ("iefc_force", "island_iefcadr"),
    "d.cone_scale": ("island.cone_scale", "island_iefcadr"), "d.solver_niter": ("island.niter", "number"),
    "d.solver.improvement": ("solver.improvement", "island.statadr"),
    "d.solver.gradient": ("solver.gradient", "island.statadr"),
    "d.solver.lineslope": ("solver.lineslope", "island.statadr"),
    "d.solver.nactive": ("solver.nactive", "island.statadr"), "d.solver.nchange": ("solver.nchange", "island.statadr"),
    "d.solver.neval": ("solver.neval", "island.statadr"), "d.solver.nupdate": ("solver.nupdate", "island.statadr"),
}  # fmt: skip
"""Island fields that replace the fields of the world's dofs and rows."""

DENSE_PART = Part("island.solved", WHOLE | {"d.efc_J": ("iefc_J", "island.Jadr")})
COMPRESSED_PART = Part("island.solved", WHOLE | {
    "d.efc_J": ("iefc_J", ""), "d.efc_J_colind": ("iefc_J_colind", ""),
    "d.efc_J_rownnz": ("iefc_J_rownnz", "island_iefcadr"), "d.efc_J_rowadr": ("iefc_J_rowadr", "island_iefcadr"),
    "d.efc_J_rowsuper": ("iefc_J_rowsuper", "island_iefcadr"), "m.nblock": ("island.nblock", "number"),
    "m.block_dof": ("island.block_dof", "island.blockadr"), "m.block_tree": ("island.block_tree", "island.blockadr"),
    "m.dof_block": ("island.dof_block", "island_idofadr"),
})  # fmt: skip
"""Part of a world (see docs/notation.md) for islands with compressed rows and blocks of dofs.

`DENSE_PART` is the part for islands with dense rows.
"""


@dataclass(frozen=True)
class Island(Group):
    """Options of a method that solves islands.

    Attributes:
        part: fields of an island that replace those of the world.
        J: the rows of the world.
        space: space in which the method descends.
        find_sparsity: kernel (m, d) that finds the blocks of a block Hessian and returns 0 or a status.
    """

    part: Part
    J: Jacobian
    space: Space
    find_sparsity: Kernel | None = None


# each of these stages solves the islands of one world, because islands differ between worlds
@kernel(single=True)
def solve_newton_islands(m, d, island):
    """Compute constrained acceleration and constraint forces, island by island, by Newton's method
    (mj_fwdConstraint)."""
    return solve_islands(m, d, island)


@kernel(single=True)
def solve_conjugate_islands(m, d, island):
    """Compute constrained acceleration and constraint forces, island by island, by conjugate gradients
    (mj_fwdConstraint)."""
    return solve_islands(m, d, island)


@kernel
def solve_islands(m, d, island):
    """Minimize the cost of every island in turn; return 0 or a status."""
    begin_islands(m, d, island.J)
    for k in range(d.nisland):
        d.island.solved = k
        if island.find_sparsity:  # noqa: SIM102
            if within(island.part, island.find_sparsity, m, d) != 0:
                return FILL_FULL
        within(island.part, descend, m, d, d.island_nefc[k], island.space)
    end_islands(m, d)
    return 0


@kernel
def begin_islands(m, d, J):
    """Choose the start of all islands, as MuJoCo does.

    It is qacc_warmstart if its total cost over all islands is lower than that of qacc_smooth.
    """
    begin(m, d)
    for k in range(1, mjNISLAND):
        d.solver_nnz[k] = 0
    if d.nisland > 0:
        gather(m, d)
        warm = is_warm_cheaper(m, d, J)
        for place in range(d.nidof):
            i = d.map_idof2dof[place]
            d.island.acc_warmstart[place] = d.qacc_warmstart[i] if warm else d.qacc_smooth[i]


@kernel
def is_warm_cheaper(m, d, J):
    """Return True if qacc_warmstart costs less than qacc_smooth, summed over all dofs and rows."""
    if not uses_warm_start(m):
        return False
    n = d.nefc
    prepare(m, d, n, n, same_row)
    residuals(m, d, J, n, d.qacc_smooth, d.cost.residual)
    residuals(m, d, J, n, d.qacc_warmstart, d.cost.change)
    mul_M(m, d, d.dofs.Mv, d.qacc_warmstart)
    return warm_cost(m, d, n, inertial_cost(m, d)) <= cost_at(m, d, n, d.cost.residual)


@kernel
def end_islands(m, d):
    """Combine the solutions of the islands."""
    if d.nisland > 0:
        scatter(m, d)
    end(m, d)


@kernel(label="gathering islands")
def gather(m, d):
    """Copy fields that depend on velocities and forces into island order, and assign the islands' statistics slots."""
    for place in range(d.nidof):
        i = d.map_idof2dof[place]
        d.ifrc_smooth[place] = d.qfrc_smooth[i]
        d.iacc_smooth[place] = d.qacc_smooth[i]
        d.iacc[place] = d.qacc[i]
    for place in range(d.nefc):
        d.iefc_aref[place] = d.efc_aref[d.map_iefc2efc[place]]
    for k in range(d.nisland):
        # islands beyond the first mjNISLAND have no statistics
        counted = k < mjNISLAND
        d.island.niter[k] = 0
        d.island.nsolverstat[k] = m.nsolverstat if counted else 0
        d.island.statadr[k] = k * m.nsolverstat if counted else 0


@kernel(label="scattering islands")
def scatter(m, d):
    """Copy the solutions of the islands back into the model's order of dofs and rows."""
    for place in range(d.nidof):
        i = d.map_idof2dof[place]
        d.qacc[i] = d.iacc[place]
        d.qfrc_constraint[i] = d.ifrc_constraint[place]
    for r in range(d.nefc):
        place = d.map_efc2iefc[r]
        d.efc_b[r] = d.island.b[place]
        d.efc_force[r] = d.iefc_force[place]
        d.efc_state[r] = d.iefc_state[place]
    for k in range(d.nisland):
        if k < mjNISLAND:
            d.solver_niter[k] = d.island.niter[k]
            newton = m.opt.solver == mjtSolver.mjSOL_NEWTON
            d.solver_nnz[k] = d.island_nv[k] * d.island_nv[k] if newton else 0


def island_in(edition: Edition, part: Part, J: Jacobian, space: Space, find_sparsity: Kernel | None = None) -> Island:
    """Return an `Island` for an edition, with solutions that start from the point that `begin_islands` has chosen."""
    return Island(part, J, replace(space, edition=edition, always=True), find_sparsity)


NEWTON_ISLANDS = tuple(
    (
        island_in(edition, DENSE_PART, DENSE, NEWTON),
        island_in(edition, COMPRESSED_PART, COMPRESSED, BLOCKS, find_sparsity),
    )
    for edition in IN_ISLAND
)
CONJUGATE_ISLANDS = tuple(
    (
        island_in(edition, DENSE_PART, DENSE, CONJUGATE),
        island_in(edition, COMPRESSED_PART, COMPRESSED, CONJUGATE_COMPRESSED),
    )
    for edition in IN_ISLAND
)
"""Options for conjugate gradients on islands by edition, each with dense rows and with compressed rows."""
