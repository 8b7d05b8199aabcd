"""Scratch memory of the kernels: rows of `d` that users do not see.

A stage that needs room for intermediate results adds a row here, with `public=False`, its own name in `stage`, and
one line of meaning; sizes are those of the model, in the arena also `ncon_capacity`, `nefc_capacity` and `nefc_dual`:

    Field("solver_grad", "real", ("nv",), 0, "", "mj_fwdConstraint", "gradient of the cost", public=False),
"""

from conjoint.lang.layout import Field

# fmt: off
SCRATCH_FIELDS: tuple[Field, ...] = (
    # collision and constraint
    Field("candidate_hit", "int", ("npair_candidate",), 0, "", "mj_collision",
          "1 where the bounds of a candidate pair are within the margin", public=False),
    Field("jnt_limit_dist", "real", ("njnt", 2), 0, "", "mj_makeConstraint",
          "distance to the lower and upper limit; of a ball joint, to its only limit", public=False),
    Field("jnt_limit_axis", "vec3", ("njnt",), 0, "", "mj_makeConstraint",
          "direction in which a ball joint is turned away from its reference", public=False),
    Field("tendon_limit_dist", "real", ("ntendon", 2), 0, "", "mj_makeConstraint",
          "distance to the lower and upper limit", public=False),
)
"""Rows of fixed size."""

SCRATCH_ARENA_FIELDS: tuple[Field, ...] = (
    # collision and constraint
    Field("contact_invweight", "real", ("ncon_capacity", 2), 0, "", "mj_collision",
          "sum of the two bodies' inverse weights: translation, rotation", public=False),
    Field("contact_KBIP", "real", ("ncon_capacity", 4), 0, "", "mj_makeConstraint",
          "stiffness, damping, impedance and its derivative, of all rows of a contact", public=False),
    Field("contact_R", "real", ("ncon_capacity",), 0, "", "mj_makeConstraint",
          "regularization of the normal row, or of every row of a pyramid", public=False),
)
"""Rows that grow with the number of contacts or constraint rows."""
# fmt: on
