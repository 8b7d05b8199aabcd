"""The acceleration that each constraint row asks for, and products with the constraints' Jacobian."""

from conjoint.lang import formula, kernel, lanes_max, minimum, shared, where

CHUNK = 256
"""Rows of a share of the work."""


@formula("real", "real", "real", "real", exact=True)
def plus_product(s, a, b):
    """s + a b, rounded after the product: forces on opposite edges of a pyramid cancel to the last bit."""
    return s + a * b


@kernel
def row_product(m, d, r, x):
    """Row r of the Jacobian times a field of nv reals: the sums, in the order, of mju_dot.

    The hardest rows, and strong dampers that cancel their forces in inverse dynamics, show the last bit.
    """
    # four sums that do not wait for each other
    n = m.nv // 4 * 4
    v0 = 0.0
    v1 = 0.0
    v2 = 0.0
    v3 = 0.0
    for i in range(0, n, 4):
        v0 = plus_product(v0, d.efc_J[r, i], x[i])
        v1 = plus_product(v1, d.efc_J[r, i + 1], x[i + 1])
        v2 = plus_product(v2, d.efc_J[r, i + 2], x[i + 2])
        v3 = plus_product(v3, d.efc_J[r, i + 3], x[i + 3])
    v0 = (v0 + v2) + (v1 + v3)
    for i in range(n, m.nv):
        v0 = plus_product(v0, d.efc_J[r, i], x[i])
    return v0


@formula("real", "real", "real", "real", "real", exact=True)
def spring_damper(stiffness, displacement, damping, velocity):
    """Acceleration of a spring-damper, rounded after every product: the stiffest rows show the last bit."""
    return -damping * velocity - stiffness * displacement


@kernel(per_world=True)
def compressed_product(m, d, r, x):
    """Row r of the compressed Jacobian times a field of nv reals."""
    v0 = 0.0
    v1 = 0.0
    a = d.efc_J_rowadr[r]
    end = a + d.efc_J_rownnz[r]
    while a + 1 < end:
        v0 += d.efc_J[a] * x[d.efc_J_colind[a]]
        v1 += d.efc_J[a + 1] * x[d.efc_J_colind[a + 1]]
        a += 2
    if a < end:
        v0 += d.efc_J[a] * x[d.efc_J_colind[a]]
    return v0 + v1


@kernel(per_world=True)
def mul_J(m, d, result, x):
    """result := J x (mj_mulJacVec)."""
    for r in range(d.nefc):
        if m.compressed:
            result[r] = compressed_product(m, d, r, x)
        else:
            result[r] = row_product(m, d, r, x)


@kernel
def mul_JT(m, d, result, x):
    """result := J' x, with J in dense rows."""
    for i in range(m.nv):
        result[i] = 0.0
    for r in range(lanes_max(d.nefc)):
        live = r < d.nefc
        for i in range(m.nv):
            result[i] = where(live, plus_product(result[i], d.efc_J[r, i], x[r]), result[i])


@kernel(per_world=True)
def compressed_mul_JT(m, d, result, x):
    """result := J' x, with J in compressed rows."""
    for i in range(m.nv):
        result[i] = 0.0
    for r in range(d.nefc):
        if x[r] != 0.0:
            for a in range(d.efc_J_rowadr[r], d.efc_J_rowadr[r] + d.efc_J_rownnz[r]):
                i = d.efc_J_colind[a]
                result[i] = plus_product(result[i], d.efc_J[a], x[r])


@kernel(per_world=True)
def stored_mul_JT(m, d, result, x):
    """result := J' x, however J is stored (mj_mulJacTVec)."""
    if m.compressed:
        compressed_mul_JT(m, d, result, x)
    else:
        mul_JT(m, d, result, x)


@kernel
def reference_constraint(m, d):
    """`efc_vel` and `efc_aref` of dense rows (mj_referenceConstraint)."""
    refer(m, d, row_product)


@kernel(per_world=True)
def reference_compressed(m, d):
    """`efc_vel` and `efc_aref` of compressed rows (mj_referenceConstraint)."""
    refer(m, d, compressed_product)


@kernel
def refer(m, d, product):
    """`efc_vel` and `efc_aref` = -B vel - K I (pos - margin): a spring-damper in acceleration.

    `product` is the kernel that multiplies a row with a vector.
    """
    count = lanes_max(d.nefc)
    shared(refer_chunk, m, d, (count + CHUNK - 1) // CHUNK, count, product)


@kernel
def refer_chunk(m, d, chunk, count, product):
    """What `refer` finds for one chunk of all rows."""
    for r in range(CHUNK * chunk, minimum(count, CHUNK * (chunk + 1))):
        velocity = product(m, d, r, d.qvel)
        act = d.efc_KBIP[r]
        stiffness = act.K * act.I
        d.efc_vel[r] = velocity
        displacement = d.efc_pos[r] - d.efc_margin[r]
        d.efc_aref[r] = spring_damper(stiffness, displacement, act.B, velocity)
