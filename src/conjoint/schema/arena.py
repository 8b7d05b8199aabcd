"""Fields of `MjData` of variable size: contacts, constraint rows and islands, one row each.

They live in an arena whose capacities grow: `ncon_capacity` contacts, `nefc_capacity` constraint rows, `nefc_dual`
(0 or `nefc_capacity`) rows of the matrix of dual solvers. Storage that no stage computes yet has capacities of 0.
"""

from conjoint.lang.layout import Field
from conjoint.schema.scratch import SCRATCH_ARENA_FIELDS

# fmt: off
ARENA_FIELDS: tuple[Field, ...] = (
    # contacts, ordered by detection; see `mjContact`
    Field("contact_dist", "real", ("ncon_capacity",), 0, "", "mj_collision"),
    Field("contact_pos", "vec3", ("ncon_capacity",), 0, "", "mj_collision"),
    Field("contact_frame", "mat3", ("ncon_capacity",), 0, "", "mj_collision"),
    Field("contact_includemargin", "real", ("ncon_capacity",), 0, "", "mj_collision"),
    Field("contact_friction", "real", ("ncon_capacity", 5), 0, "", "mj_collision"),
    Field("contact_solref", "real", ("ncon_capacity", 2), 0, "", "mj_collision"),
    Field("contact_solreffriction", "real", ("ncon_capacity", 2), 0, "", "mj_collision"),
    Field("contact_solimp", "real", ("ncon_capacity", 5), 0, "", "mj_collision"),
    Field("contact_mu", "real", ("ncon_capacity",), 0, "", "mj_makeConstraint"),
    Field("contact_H", "real", ("ncon_capacity", 36), 0, "", "mj_fwdConstraint"),
    Field("contact_dim", "int", ("ncon_capacity",), 0, "", "mj_collision"),
    Field("contact_geom", "int", ("ncon_capacity", 2), 0, "", "mj_collision"),
    Field("contact_flex", "int", ("ncon_capacity", 2), 0, "", "mj_collision"),
    Field("contact_elem", "int", ("ncon_capacity", 2), 0, "", "mj_collision"),
    Field("contact_vert", "int", ("ncon_capacity", 2), 0, "", "mj_collision"),
    Field("contact_exclude", "int", ("ncon_capacity",), 0, "", "mj_collision"),
    Field("contact_efc_address", "int", ("ncon_capacity",), 0, "", "mj_makeConstraint"),
    # constraint rows
    Field("efc_type", "int", ("nefc_capacity",), 0, "", "mj_makeConstraint"),
    Field("efc_id", "int", ("nefc_capacity",), 0, "", "mj_makeConstraint"),
    Field("efc_J", "real", ("nefc_capacity", "nv"), 0, "", "mj_makeConstraint"),
    Field("efc_pos", "real", ("nefc_capacity",), 0, "", "mj_makeConstraint"),
    Field("efc_margin", "real", ("nefc_capacity",), 0, "", "mj_makeConstraint"),
    Field("efc_frictionloss", "real", ("nefc_capacity",), 0, "", "mj_makeConstraint"),
    Field("efc_diagApprox", "real", ("nefc_capacity",), 0, "", "mj_makeConstraint"),
    Field("efc_KBIP", "real", ("nefc_capacity", 4), 0, "", "mj_makeConstraint"),
    Field("efc_D", "real", ("nefc_capacity",), 0, "", "mj_makeConstraint"),
    Field("efc_R", "real", ("nefc_capacity",), 0, "", "mj_makeConstraint"),
    Field("efc_vel", "real", ("nefc_capacity",), 0, "", "mj_referenceConstraint"),
    Field("efc_aref", "real", ("nefc_capacity",), 0, "", "mj_referenceConstraint"),
    Field("efc_b", "real", ("nefc_capacity",), 0, "", "mj_fwdConstraint"),
    Field("efc_state", "int", ("nefc_capacity",), 0, "", "mj_fwdConstraint"),
    Field("efc_force", "real", ("nefc_capacity",), 0, "", "mj_fwdConstraint"),
    # inverse inertia of the constraints; row r of `efc_AR` starts at r * nefc_dual
    Field("efc_AR", "real", ("nefc_dual", "nefc_dual"), 0, "", "mj_projectConstraint"),
    # sparse storage, for models whose Jacobian is sparse
    Field("efc_J_rownnz", "int", ("nefc_sparse",), 0, "", "mj_makeConstraint"),
    Field("efc_J_rowadr", "int", ("nefc_sparse",), 0, "", "mj_makeConstraint"),
    Field("efc_J_rowsuper", "int", ("nefc_sparse",), 0, "", "mj_makeConstraint"),
    Field("efc_J_colind", "int", ("nefc_sparse", "nv"), 0, "", "mj_makeConstraint"),
    Field("efc_JT_rownnz", "int", ("nv_sparse",), 0, "", "mj_makeConstraint"),
    Field("efc_JT_rowadr", "int", ("nv_sparse",), 0, "", "mj_makeConstraint"),
    Field("efc_JT_rowsuper", "int", ("nv_sparse",), 0, "", "mj_makeConstraint"),
    Field("efc_JT_colind", "int", ("nefc_sparse", "nv"), 0, "", "mj_makeConstraint"),
    Field("efc_JT", "real", ("nefc_sparse", "nv"), 0, "", "mj_makeConstraint"),
    Field("tendon_efcadr", "int", ("ntendon_sparse",), 0, "", "mj_makeConstraint"),
    Field("efc_AR_rownnz", "int", ("nefc_sparse",), 0, "", "mj_projectConstraint"),
    Field("efc_AR_rowadr", "int", ("nefc_sparse",), 0, "", "mj_projectConstraint"),
    Field("efc_AR_colind", "int", ("nA_sparse",), 0, "", "mj_projectConstraint"),
    # islands
    Field("dof_island", "int", ("nv_island",), 0, "", "mj_island"),
    Field("island_nv", "int", ("nisland_capacity",), 0, "", "mj_island"),
    Field("island_idofadr", "int", ("nisland_capacity",), 0, "", "mj_island"),
    Field("island_dofadr", "int", ("nisland_capacity",), 0, "", "mj_island"),
    Field("map_dof2idof", "int", ("nv_island",), 0, "", "mj_island"),
    Field("map_idof2dof", "int", ("nv_island",), 0, "", "mj_island"),
    Field("ifrc_smooth", "real", ("nidof_capacity",), 0, "", "mj_island"),
    Field("iacc_smooth", "real", ("nidof_capacity",), 0, "", "mj_island"),
    Field("iM_rownnz", "int", ("nidof_capacity",), 0, "", "mj_island"),
    Field("iM_rowadr", "int", ("nidof_capacity",), 0, "", "mj_island"),
    Field("iM_colind", "int", ("nC_island",), 0, "", "mj_island"),
    Field("iM", "real", ("nC_island",), 0, "", "mj_island"),
    Field("iLD", "real", ("nC_island",), 0, "", "mj_island"),
    Field("iLDiagInv", "real", ("nidof_capacity",), 0, "", "mj_island"),
    Field("iacc", "real", ("nidof_capacity",), 0, "", "mj_fwdConstraint"),
    Field("efc_island", "int", ("nefc_island",), 0, "", "mj_island"),
    Field("island_ne", "int", ("nisland_capacity",), 0, "", "mj_island"),
    Field("island_nf", "int", ("nisland_capacity",), 0, "", "mj_island"),
    Field("island_nefc", "int", ("nisland_capacity",), 0, "", "mj_island"),
    Field("island_iefcadr", "int", ("nisland_capacity",), 0, "", "mj_island"),
    Field("map_efc2iefc", "int", ("nefc_island",), 0, "", "mj_island"),
    Field("map_iefc2efc", "int", ("nefc_island",), 0, "", "mj_island"),
    Field("iefc_type", "int", ("nefc_island",), 0, "", "mj_island"),
    Field("iefc_id", "int", ("nefc_island",), 0, "", "mj_island"),
    Field("iefc_J_rownnz", "int", ("nefc_island",), 0, "", "mj_island"),
    Field("iefc_J_rowadr", "int", ("nefc_island",), 0, "", "mj_island"),
    Field("iefc_J_rowsuper", "int", ("nefc_island",), 0, "", "mj_island"),
    Field("iefc_J_colind", "int", ("nefc_island", "nv"), 0, "", "mj_island"),
    Field("iefc_JT_rownnz", "int", ("nidof_capacity",), 0, "", "mj_island"),
    Field("iefc_JT_rowadr", "int", ("nidof_capacity",), 0, "", "mj_island"),
    Field("iefc_JT_rowsuper", "int", ("nidof_capacity",), 0, "", "mj_island"),
    Field("iefc_JT_colind", "int", ("nefc_island", "nv"), 0, "", "mj_island"),
    Field("iefc_J", "real", ("nefc_island", "nv"), 0, "", "mj_island"),
    Field("iefc_JT", "real", ("nefc_island", "nv"), 0, "", "mj_island"),
    Field("iefc_frictionloss", "real", ("nefc_island",), 0, "", "mj_island"),
    Field("iefc_D", "real", ("nefc_island",), 0, "", "mj_island"),
    Field("iefc_R", "real", ("nefc_island",), 0, "", "mj_island"),
    Field("iefc_aref", "real", ("nefc_island",), 0, "", "mj_referenceConstraint"),
    Field("iefc_state", "int", ("nefc_island",), 0, "", "mj_fwdConstraint"),
    Field("iefc_force", "real", ("nefc_island",), 0, "", "mj_fwdConstraint"),
    Field("ifrc_constraint", "real", ("nidof_capacity",), 0, "", "mj_fwdConstraint"),
)
# fmt: on

ARENA_ROWS: tuple[Field, ...] = ARENA_FIELDS + SCRATCH_ARENA_FIELDS
"""All rows of the arena: what users see, then the kernels' scratch memory."""

CAPACITIES: tuple[str, ...] = (
    "ncon_capacity", "nefc_capacity", "nefc_dual", "nefc_sparse", "nv_sparse", "nA_sparse", "ntendon_sparse",
    "nefc_island", "nv_island", "nidof_capacity", "nC_island", "nisland_capacity",
)  # fmt: skip
"""Sizes of the arena, beside those of the model."""
