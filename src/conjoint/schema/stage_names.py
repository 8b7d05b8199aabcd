"""Documented functions that write many rows of the schema, and groups of them."""

COLLIDE, MAKE, ISLAND, SOLVE = "mj_collision", "mj_makeConstraint", "mj_island", "mj_fwdConstraint"
FORCES, DUAL = f"{SOLVE}, mj_invConstraint", f"{SOLVE}, mj_projectConstraint"
SLEEP = "mj_sleep"
POSTHOC = "mj_forwardPosthoc, mj_inversePosthoc"
ADVANCE, DERIVE, DRIVE = "mj_Euler, mj_implicit, mj_RungeKutta", "mj_implicit, mj_inverse", "mj_setLengthRange"
