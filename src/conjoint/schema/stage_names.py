"""Documented functions that write many rows of the schema, and groups of them."""

COLLIDE, MAKE, ISLAND, SOLVE = "mj_collision", "mj_makeConstraint", "mj_island", "mj_fwdConstraint"
FORCES, DUAL = f"{SOLVE}, mj_invConstraint", f"{SOLVE}, mj_projectConstraint"
SLEEP = "mj_sleep"
WAKE = f"mj_kinematics, mj_tendon, {COLLIDE}, {MAKE}"
RUNS = f"{SLEEP}, {WAKE}, {SOLVE}"
SPARE = (
    "mj_kinematics, mj_comPos, mj_makeM, mj_factorM, mj_comVel, mj_passive, mj_rne, mj_fwdAcceleration, mj_Euler, "
    "mj_implicit"
)
POSTHOC = "mj_forwardPosthoc, mj_inversePosthoc"
ADVANCE, DERIVE, DRIVE = "mj_Euler, mj_implicit, mj_RungeKutta", "mj_implicit, mj_inverse", "mj_setLengthRange"
