"""Rows of equality constraints: connect, weld, polynomials of joints and of tendons, flex edges and flex strain.

The residual is the quantity that a constraint drives to zero. The Jacobian rows of the constraint are the
derivatives of the residual's rate of change with respect to velocities. See the Computation chapter,
"Equality".
"""

from conjoint.lang import conj_quat, dot, formula, kernel, load, maximum, mul_quat, quat, sqrt, vec3
from conjoint.physics.constraint.impedance import row_parameters
from conjoint.physics.constraint.jacobian import add, column, open_rows
from conjoint.physics.constraint.rows import EQUALITY, moves_something, regularization, tendon_elements, write_row
from conjoint.physics.constraint.strain import strain_rows
from conjoint.physics.flex.edges import dofs_of_edge, edge_constraints, edge_element
from conjoint.physics.motion.chains import chain_length, last_dof, next_of_two
from conjoint.physics.motion.support import tree_arm, velocity_of
from conjoint.physics.sleep.filter import equality_rests
from conjoint.schema.enums import mjtEq, mjtObj
from conjoint.schema.sizes import STRAIN_MODES

RELATIVE_QUAT = 6
TORQUE_SCALE = 10
"""Column of a weld's `eq_data` for the scale of the angular residual.

`RELATIVE_QUAT` is the first column of the relative orientation of the second body.
"""


@kernel
def rows_of_equality(m, e):
    """Return the number of rows of equality e, or 0 if it is inactive."""
    kind = m.eq_type[e]
    if kind == mjtEq.mjEQ_CONNECT:
        return 3
    if kind == mjtEq.mjEQ_WELD:
        return 6
    if kind == mjtEq.mjEQ_JOINT or kind == mjtEq.mjEQ_TENDON:
        return 1
    if kind == mjtEq.mjEQ_FLEX:
        return edge_constraints(m, m.eq_obj1id[e])
    if kind == mjtEq.mjEQ_FLEXSTRAIN:
        return STRAIN_MODES
    return 0


@kernel
def count_equalities(m, d):
    """Add the rows of active equalities to `d.ne`; `equality_rows` later drops rows that no dof moves."""
    for e in range(m.neq):
        if not equality_rests(m, d, e) and d.eq_active[e] != 0:
            d.ne = d.ne + rows_of_equality(m, e)


@kernel(label="equalities")
def equality_rows(m, d, J):
    """Fill the rows of active equalities, and return the first free row."""
    r = 0
    for e in range(m.neq):
        if d.eq_active[e] != 0 and not equality_rests(m, d, e):
            kind = m.eq_type[e]
            if kind == mjtEq.mjEQ_CONNECT or kind == mjtEq.mjEQ_WELD:
                r = pose_rows(m, d, J, e, r)
            elif kind == mjtEq.mjEQ_JOINT:
                r = joint_row(m, d, J, e, r)
            elif kind == mjtEq.mjEQ_TENDON:
                r = tendon_row(m, d, J, e, r)
            elif kind == mjtEq.mjEQ_FLEX:
                r = edge_rows(m, d, J, e, r)
            elif kind == mjtEq.mjEQ_FLEXSTRAIN:
                r = strain_rows(m, d, J, e, r)
    return r


@kernel
def pose_rows(m, d, J, e, r):
    """Fill the rows of connect or weld e, starting at row r, and return the first free row."""
    body, point = held(m, d, e, 0)
    other, goal = held(m, d, e, 1)
    gap = point - goal
    lean = vec3(0.0, 0.0, 0.0)
    count = rows_of_equality(m, e)
    pose_jacobian(m, d, J, e, r, body, point, other, goal)
    if not moves_something(m, d, r, count, maximum(last_dof(m, body), last_dof(m, other)) >= 0):
        return r
    if count == 6:
        lean = imaginary(mul_quat(conj_quat(held_turn(m, d, e, 1)), held_turn(m, d, e, 0))) * m.eq_data[e, TORQUE_SCALE]
    # all rows have the same impedance, computed from the norm of the whole violation
    act = row_parameters(m, m.eq_solref[e], m.eq_solimp[e], sqrt(dot(gap, gap) + dot(lean, lean)))
    weight = m.body_invweight0[body] + m.body_invweight0[other]
    for k in range(3):
        write_row(d, r + k, EQUALITY, e, gap[k], 0.0, act, regularization(act.I, weight.x))
    if count == 6:
        for k in range(3):
            write_row(d, r + 3 + k, EQUALITY, e, lean[k], 0.0, act, regularization(act.I, weight.y))
    return r + count


@kernel
def imaginary(q):
    """Return the imaginary part of q: the axis of the rotation, scaled by the sine of half its angle."""
    return vec3(q.x, q.y, q.z)


@kernel
def object_of_side(m, e, side):
    """Return the id of the first (side 0) or second (side 1) body or site of a connect or weld."""
    return m.eq_obj1id[e] if side == 0 else m.eq_obj2id[e]


@kernel
def held(m, d, e, side):
    """Return the body on one side of a connect or weld, and the global position of the anchor on that side."""
    i = object_of_side(m, e, side)
    if m.eq_objtype[e] == mjtObj.mjOBJ_SITE:
        return m.site_bodyid[i], d.site_xpos[i]
    # in a weld, the anchor in the second body comes first
    first = 3 * side
    if m.eq_type[e] == mjtEq.mjEQ_WELD:
        first = 3 - first
    return i, placed(d.xpos[i], d.xmat[i], load(vec3, m.eq_data, (e, first)))


@formula("vec3", "vec3", "mat3", "vec3", exact=True)
def placed(origin, frame, v):
    """Return the global position of a point v in a frame.

    Each product is rounded before the addition (no FMA), because the forces of conflicting constraints depend on the
    last bit.
    """
    x, y, z = v
    ox, oy, oz = origin
    return (
        ox + (frame[0] * x + frame[1] * y + frame[2] * z),
        oy + (frame[3] * x + frame[4] * y + frame[5] * z),
        oz + (frame[6] * x + frame[7] * y + frame[8] * z),
    )


@kernel
def held_turn(m, d, e, side):
    """Return one of the two orientations that weld e aligns.

    It is the orientation of a site if the weld is between sites. Otherwise it is the orientation of the second body
    (side 1), or its target orientation, which is relative to the first body (side 0).
    """
    i = object_of_side(m, e, side)
    if m.eq_objtype[e] == mjtObj.mjOBJ_SITE:
        return mul_quat(d.xquat[m.site_bodyid[i]], m.site_quat[i])
    if side == 0:
        return mul_quat(d.xquat[i], load(quat, m.eq_data, (e, RELATIVE_QUAT)))
    return d.xquat[i]


@kernel
def pose_jacobian(m, d, J, e, r, body, point, other, goal):
    """Fill the Jacobian of a connect or weld, starting at row r.

    The two anchors may be apart, so dofs that move both bodies also move the anchors relative to each other.
    """
    arm = tree_arm(m, d, body, point)
    other_arm = tree_arm(m, d, other, goal)
    turned = quat(1.0, 0.0, 0.0, 0.0)
    base = turned
    if m.eq_type[e] == mjtEq.mjEQ_WELD:
        turned = held_turn(m, d, e, 0)
        base = conj_quat(held_turn(m, d, e, 1))
    i = last_dof(m, body)
    j = last_dof(m, other)
    place = chain_length(m, i, j)
    open_rows(d, J, r, rows_of_equality(m, e), place)
    while i >= 0 or j >= 0:
        k = maximum(i, j)
        place -= 1
        move = vec3(0.0, 0.0, 0.0)
        turn = move
        if i == k:
            move = velocity_of(d.cdof[k], arm)
            turn = d.cdof[k].angular
        if j == k:
            move = move - velocity_of(d.cdof[k], other_arm)
            turn = turn - d.cdof[k].angular
        a, step = column(m, d, J, r, rows_of_equality(m, e), place, k)
        for c in range(3):
            d.efc_J[a + c * step] = move[c]
        if m.eq_type[e] == mjtEq.mjEQ_WELD:
            # the derivative of a quaternion is half its angular velocity times the quaternion
            rate = imaginary(mul_quat(mul_quat(base, quat(0.0, turn.x, turn.y, turn.z)), turned))
            for c in range(3):
                d.efc_J[a + (3 + c) * step] = rate[c] * (0.5 * m.eq_data[e, TORQUE_SCALE])
        i, j = next_of_two(m, i, j)


@kernel
def weld_torque(m, d, e, multipliers):
    """Return the torque on the first body of weld e due to the multipliers of its angular residual.

    This applies the transpose of the weld's angular rows in `pose_jacobian`.
    """
    turned = held_turn(m, d, e, 0)
    lever = mul_quat(mul_quat(held_turn(m, d, e, 1), quat(0.0, multipliers.x, multipliers.y, multipliers.z)),
                     conj_quat(turned))  # fmt: skip
    return imaginary(lever) * (0.5 * m.eq_data[e, TORQUE_SCALE])


@kernel
def polynomial(m, e, x):
    """Return the value of the polynomial of equality e at x, and its derivative."""
    value = m.eq_data[e, 4]
    slope = 0.0
    for k in range(3, -1, -1):
        slope = slope * x + value
        value = value * x + m.eq_data[e, k]
    return value, slope


@kernel
def joint_row(m, d, J, e, r):
    """Fill row r, which sets the first joint's position equal to a polynomial of the second's, or to a constant.

    Return the next row.
    """
    j = m.eq_obj1id[e]
    other = m.eq_obj2id[e]
    i = m.jnt_dofadr[j]
    k = m.jnt_dofadr[other] if other >= 0 else i
    moved = d.qpos[m.jnt_qposadr[other]] - m.qpos0[m.jnt_qposadr[other]] if other >= 0 else 0.0
    value, slope = polynomial(m, e, moved)
    residual = d.qpos[m.jnt_qposadr[j]] - m.qpos0[m.jnt_qposadr[j]] - value
    weight = m.dof_invweight0[i]
    open_rows(d, J, r, 1, 1 if i == k else 2)
    add(m, d, J, r, 1 if i > k else 0, i, 1.0)
    if other >= 0:
        weight = weight + m.dof_invweight0[k]
        # if both joints are the same, the second element overwrites the first
        add(m, d, J, r, 1 if k > i else 0, k, -slope)
    act = row_parameters(m, m.eq_solref[e], m.eq_solimp[e], residual)
    write_row(d, r, EQUALITY, e, residual, 0.0, act, regularization(act.I, weight))
    return r + 1


@kernel
def tendon_row(m, d, J, e, r):
    """Fill row r, which sets the first tendon's length equal to a polynomial of the second's, or to a constant.

    Return the next row.
    """
    t = m.eq_obj1id[e]
    other = m.eq_obj2id[e]
    value, slope = polynomial(m, e, d.ten_length[other] - m.tendon_length0[other] if other >= 0 else 0.0)
    residual = d.ten_length[t] - m.tendon_length0[t] - value
    weight = m.tendon_invweight0[t]
    reached = m.ten_J_rownnz[t] > 0
    if other >= 0:
        weight = weight + m.tendon_invweight0[other]
        reached = reached or m.ten_J_rownnz[other] > 0
    tendon_elements(m, d, J, r, t, 1.0, other, -slope)
    if not moves_something(m, d, r, 1, reached):
        return r
    act = row_parameters(m, m.eq_solref[e], m.eq_solimp[e], residual)
    write_row(d, r, EQUALITY, e, residual, 0.0, act, regularization(act.I, weight))
    return r + 1


@kernel
def edge_rows(m, d, J, e, r):
    """Fill the rows that constrain the edge lengths of a flex, starting at row r, and return the first free row."""
    f = m.eq_obj1id[e]
    for edge in range(m.flex_edgeadr[f], m.flex_edgeadr[f] + m.flex_edgenum[f]):
        if m.flexedge_J_rownnz[edge] > 0 and m.flexedge_rigid[edge] == 0:
            open_rows(d, J, r, 1, m.flexedge_J_rownnz[edge])
            i, j = dofs_of_edge(m, f, edge)
            for place in range(m.flexedge_J_rownnz[edge] - 1, -1, -1):
                k = maximum(i, j)
                add(m, d, J, r, place, k, d.flexedge_J[edge_element(m, edge, place, k)])
                i, j = next_of_two(m, i, j)
            if moves_something(m, d, r, 1, True):
                residual = d.flexedge_length[edge] - m.flexedge_length0[edge]
                act = row_parameters(m, m.eq_solref[e], m.eq_solimp[e], residual)
                R = regularization(act.I, m.flexedge_invweight0[edge])
                write_row(d, r, EQUALITY, e, residual, 0.0, act, R)
                r += 1
    return r
