"""The acceleration that each constraint row asks for, and products with the constraints' Jacobian."""

from conjoint.lang import formula, kernel, lanes_max, where


@kernel
def row_product(m, d, r, x):
    """Row r of the Jacobian times a field of nv reals."""
    # four sums that do not wait for each other
    n = m.nv // 4 * 4
    v0 = 0.0
    v1 = 0.0
    v2 = 0.0
    v3 = 0.0
    for i in range(0, n, 4):
        v0 += d.efc_J[r, i] * x[i]
        v1 += d.efc_J[r, i + 1] * x[i + 1]
        v2 += d.efc_J[r, i + 2] * x[i + 2]
        v3 += d.efc_J[r, i + 3] * x[i + 3]
    for i in range(n, m.nv):
        v0 += d.efc_J[r, i] * x[i]
    return (v0 + v1) + (v2 + v3)


@formula("real", "real", "real", "real", "real", exact=True)
def spring_damper(stiffness, displacement, damping, velocity):
    """Acceleration of a spring-damper, rounded after every product: the stiffest rows show the last bit."""
    return -damping * velocity - stiffness * displacement


@kernel
def mul_J(m, d, result, x):
    """result := J x (mj_mulJacVec)."""
    for r in range(lanes_max(d.nefc)):
        result[r] = row_product(m, d, r, x)


@formula("real", "real", "real", "real", exact=True)
def plus_product(s, a, b):
    """s + a b, rounded after the product: forces on opposite edges of a pyramid cancel to the last bit."""
    return s + a * b


@kernel
def mul_JT(m, d, result, x):
    """result := J' x (mj_mulJacTVec)."""
    for i in range(m.nv):
        result[i] = 0.0
    for r in range(lanes_max(d.nefc)):
        live = r < d.nefc
        for i in range(m.nv):
            result[i] = where(live, plus_product(result[i], d.efc_J[r, i], x[r]), result[i])


@kernel
def reference_constraint(m, d):
    """`efc_vel` and `efc_aref` = -B vel - K I (pos - margin): a spring-damper in acceleration."""
    for r in range(lanes_max(d.nefc)):
        velocity = row_product(m, d, r, d.qvel)
        act = d.efc_KBIP[r]
        stiffness = act.K * act.I
        d.efc_vel[r] = velocity
        displacement = d.efc_pos[r] - d.efc_margin[r]
        d.efc_aref[r] = spring_damper(stiffness, displacement, act.B, velocity)
