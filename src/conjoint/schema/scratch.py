"""Scratch memory of the kernels: rows of `d` that users do not see.

A stage that needs room for intermediate results adds a row here, with `public=False`, its own name in `stage`, and
one line of meaning; sizes are those of the model, in the arena also `ncon_capacity`, `nefc_capacity` and `nefc_dual`:

    Field("solver_grad", "real", ("nv",), 0, "", "mj_fwdConstraint", "gradient of the cost", public=False),
"""

from conjoint.lang.layout import Field

# fmt: off
SCRATCH_FIELDS: tuple[Field, ...] = (
    # pipeline
    Field("plan_version", "int", (), 0, "", "", "version of the plan that the world is prepared for", public=False),
    Field("warning_reported", "int", (), 0, "", "", "sum of warning.number when last reported to Python", public=False),
    # collision and constraint
    Field("jnt_limit_dist", "real", ("njnt", 2), 0, "", "mj_makeConstraint",
          "distance to the lower and upper limit; of a ball joint, to its only limit", public=False),
    Field("jnt_limit_axis", "vec3", ("njnt",), 0, "", "mj_makeConstraint",
          "direction in which a ball joint is turned away from its reference", public=False),
    Field("tendon_limit_dist", "real", ("ntendon", 2), 0, "", "mj_makeConstraint",
          "distance to the lower and upper limit", public=False),
    # smooth dynamics and integration
    Field("wrap_curve", "real", ("nwrap",), 0, "m", "mj_tendon",
          "length of a path on each geom it may wrap around; -1: it does not touch it", public=False),
    Field("wrap_enter", "vec3", ("nwrap",), 0, "m", "mj_tendon", "where it meets the geom, world frame", public=False),
    Field("wrap_leave", "vec3", ("nwrap",), 0, "m", "mj_tendon", "where it leaves the geom", public=False),
    Field("body_wrench", "spatial", ("nbody",), 0, "", "", "com-based forces on bodies, to be projected", public=False),
    Field("rne_acc", "spatial", ("nbody",), 0, "", "mj_rne", "accelerations without constraints", public=False),
    Field("rne_frc", "spatial", ("nbody",), 0, "", "mj_rne", "forces between bodies without constraints", public=False),
    Field("ctrl_used", "real", ("nu",), 0, "", "mj_fwdActuation", "controls after clamping and checking", public=False),
    Field("tendon_actfrc", "real", ("ntendon",), 0, "N", "mj_fwdActuation", "sum of actuator forces", public=False),
    Field("advance_acc", "real", ("nv",), 0, "", "mj_Euler", "acceleration that the integrator uses", public=False),
    Field("was_reset", "int", (), 0, "", "mj_checkAcc", "1 if the world was reset: forward it again", public=False),
    Field("rk4_time", "real", (), 0, "s", "mj_RungeKutta", "time at the start of the step", public=False),
    Field("rk4_qpos", "real", ("nq",), 0, "", "mj_RungeKutta", "qpos at the start of the step", public=False),
    Field("rk4_qvel", "real", ("nv",), 0, "", "mj_RungeKutta", "qvel at the start of the step", public=False),
    Field("rk4_act", "real", ("na",), 0, "", "mj_RungeKutta", "act at the start of the step", public=False),
    Field("rk4_vel", "real", ("nv",), 0, "", "mj_RungeKutta", "weighted sum of velocities", public=False),
    Field("rk4_acc", "real", ("nv",), 0, "", "mj_RungeKutta", "weighted sum of accelerations", public=False),
    Field("rk4_act_dot", "real", ("na",), 0, "", "mj_RungeKutta", "weighted sum of act_dot", public=False),
    Field("stage_vel", "real", ("nv",), 0, "", "mj_RungeKutta", "velocity that moves qpos", public=False),
    Field("drive_actuator", "int", (), 0, "", "mj_setLengthRange", "actuator whose range is looked for", public=False),
    Field("drive_accel", "real", (), 0, "", "mj_setLengthRange", "signed acceleration that drives it", public=False),
    Field("drive_maxforce", "real", (), 0, "", "mj_setLengthRange", "largest norm of the force; 0: any", public=False),
    Field("drive_decay", "real", (), 0, "", "mj_setLengthRange", "what is left of velocities per step", public=False),
    Field("drive_watched", "real", (), 0, "s", "mj_setLengthRange", "time after which lengths count", public=False),
    Field("drive_least", "real", (), 0, "", "mj_setLengthRange", "least length", public=False),
    Field("drive_greatest", "real", (), 0, "", "mj_setLengthRange", "greatest length", public=False),
    Field("inverse_acc", "real", ("nv",), 0, "", "mj_inverse", "qacc while a discrete one is used", public=False),
    Field("compare_frc", "real", ("nv",), 0, "", "mj_compareFwdInv", "qfrc_constraint of forward", public=False),
    # constraint solvers; matrices have rows of `nv_padded`
    Field("solver_search", "real", ("nv_padded",), 0, "", "mj_fwdConstraint", "search direction of qacc", public=False),
    Field("solver_Ma", "real", ("nv_padded",), 0, "", "mj_fwdConstraint",
          "M times qacc, or times a part of it", public=False),
    Field("solver_grad", "real", ("nv_padded",), 0, "", "mj_fwdConstraint", "gradient of the cost", public=False),
    Field("solver_Mv", "real", ("nv_padded",), 0, "", "mj_fwdConstraint", "M times the search direction", public=False),
    Field("solver_column", "real", ("nv_padded",), 0, "", "mj_fwdConstraint", "column of a factor", public=False),
    Field("solver_pivot", "real", ("nv_padded",), 0, "", "mj_fwdConstraint",
          "-1 over the pivots of a factor", public=False),
    Field("solver_H", "real", ("nv_padded", "nv_padded"), 0, "", "mj_fwdConstraint",
          "symmetric matrix to factorize, right-hand side in column 0", public=False),
    Field("solver_L", "real", ("nv_padded", "nv_padded"), 0, "", "mj_fwdConstraint", "its factor", public=False),
    Field("solver_weight", "real", ("nv_padded", 8), 0, "", "mj_fwdConstraint",
          "eight columns of a factor, over its pivots", public=False),
    Field("solver_open", "int", ("nv_blocks", "nv_blocks"), 0, "", "mj_fwdConstraint",
          "1: a block of the Hessian is in use", public=False, uniform=True),
    Field("solver_fill", "int", ("nv_blocks", "nv_blocks"), 0, "", "mj_fwdConstraint",
          "1: a block of its factor is not zero", public=False, uniform=True),
    Field("solver_columns", "int", ("nv_blocks",), 0, "", "mj_fwdConstraint",
          "blocks of a row", public=False, uniform=True),
    Field("solver_below", "int", ("nv_blocks",), 0, "", "mj_fwdConstraint",
          "blocks of a column", public=False, uniform=True),
    Field("solver_A", "real", ("nrow_padded", "nrow_padded"), 0, "", "mj_fwdConstraint",
          "J M^-1 J', rows scaled", public=False),
    Field("solver_JT", "real", ("nv", "nrow_padded"), 0, "", "mj_fwdConstraint", "J', rows scaled", public=False),
    Field("solver_half", "real", ("nv", "nrow_padded"), 0, "", "mj_fwdConstraint",
          "M^-1/2 J', rows scaled", public=False),
)
"""Rows of fixed size."""

SCRATCH_ARENA_FIELDS: tuple[Field, ...] = (
    Field("compare_efc", "real", ("nefc_capacity",), 0, "", "mj_compareFwdInv", "efc_force of forward", public=False),
    # collision and constraint
    Field("candidate_hit", "int", ("npair_candidate",), 0, "", "mj_collision",
          "1 where the bounds of a candidate pair are within the margin", public=False),
    Field("contact_invweight", "real", ("ncon_capacity", 2), 0, "", "mj_collision",
          "sum of the two bodies' inverse weights: translation, rotation", public=False),
    Field("contact_KBIP", "real", ("ncon_capacity", 4), 0, "", "mj_makeConstraint",
          "stiffness, damping, impedance and its derivative, of all rows of a contact", public=False),
    Field("contact_R", "real", ("ncon_capacity",), 0, "", "mj_makeConstraint",
          "regularization of the normal row, or of every row of a pyramid", public=False),
    # constraint solvers
    Field("solver_scale", "real", ("nefc_padded",), 0, "", "mj_fwdConstraint", "square root of efc_D", public=False),
    Field("solver_lower", "real", ("nefc_padded",), 0, "", "mj_fwdConstraint",
          "scaled residual below which the force is constant", public=False),
    Field("solver_upper", "real", ("nefc_padded",), 0, "", "mj_fwdConstraint",
          "scaled residual above which the force is constant", public=False),
    Field("solver_jar", "real", ("nefc_padded",), 0, "", "mj_fwdConstraint",
          "scaled residual J qacc - aref", public=False),
    Field("solver_Jv", "real", ("nefc_padded",), 0, "", "mj_fwdConstraint",
          "its change along the search direction", public=False),
    Field("solver_warm", "real", ("nefc_padded",), 0, "", "mj_fwdConstraint",
          "its change from qacc_smooth to qacc_warmstart", public=False),
    Field("solver_lambda", "real", ("nefc_padded",), 0, "", "mj_fwdConstraint",
          "multipliers of scaled rows", public=False),
    Field("solver_step", "real", ("nefc_padded",), 0, "", "mj_fwdConstraint",
          "their change along the search", public=False),
    Field("solver_rest", "real", ("nefc_padded",), 0, "", "mj_fwdConstraint", "multiplier minus force", public=False),
    Field("solver_mask", "real", ("nefc_padded",), 0, "", "mj_fwdConstraint",
          "1 where a row is a spring", public=False),
    Field("solver_rows", "real", ("nefc_padded", "nv_padded"), 0, "", "mj_fwdConstraint", "scaled J", public=False),
    Field("solver_block", "int", ("nefc_padded", "nv_blocks"), 0, "", "mj_fwdConstraint",
          "blocks of eight columns that are not zero, of each row", public=False, uniform=True),
    Field("solver_nblock", "int", ("nefc_padded",), 0, "", "mj_fwdConstraint",
          "their number", public=False, uniform=True),
    Field("solver_dual", "real", ("nv", "dual_padded"), 0, "", "mj_projectConstraint", "M^-1/2 J'", public=False),
    Field("solver_row", "int", ("nefc_padded",), 0, "", "mj_fwdConstraint",
          "rows that are springs", public=False, uniform=True),
)
"""Rows that grow with the number of contacts or constraint rows."""
# fmt: on
