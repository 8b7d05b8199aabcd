"""Lengths and unit-force responses of tendons, actuators and flex edges in the initial configuration (mj_setConst).

For each tendon, actuator or edge, the response to one generalized force is computed on the trees that it moves.
"""

from conjoint.lang import kernel, maximum, minimum, norm, sqrt, vec3, where
from conjoint.physics.constants.inverse import ONLY_SLIDES
from conjoint.physics.constants.ordered import product_in_order, solve_in_order
from conjoint.physics.motion.chains import end_of_tree, first_of_tree, last_dof
from conjoint.physics.motion.kinematics import mounted_position
from conjoint.physics.motion.support import apply_force
from conjoint.schema.constants import mjMINVAL
from conjoint.schema.enums import mjtGain


@kernel
def clear_forces(m, d, first, end):
    """Set the forces on the dofs [first, end) to zero."""
    for i in range(first, end):
        d.unit.force[i] = 0.0


@kernel
def respond(m, d, first, end):
    """Compute unit.response := inv(M) unit.force for dofs [first, end) of whole trees.

    Return the scalar product of force and response.
    """
    for i in range(first, end):
        d.unit.response[i] = d.unit.force[i]
    solve_in_order(m, d, d.unit.response, first, end)
    return product_in_order(m, d.unit.force, d.unit.response, first, end)


@kernel(writes_model=True)
def tendon_constants(m, d):
    """Compute tendon_length0, and tendon_invweight0 = J inv(M) J'."""
    for t in range(m.ntendon):
        m.tendon_length0[t] = d.ten_length[t]
        m.tendon_invweight0[t] = 0.0
        count = m.ten_J_rownnz[t]
        if count > 0:
            first = first_of_tree(m, m.ten_J_colind[t, 0])
            end = end_of_tree(m, m.ten_J_colind[t, count - 1])
            clear_forces(m, d, first, end)
            for k in range(count):
                i = m.ten_J_colind[t, k]
                d.unit.force[i] = d.ten_J[t, i]
            m.tendon_invweight0[t] = respond(m, d, first, end)


@kernel(writes_model=True)
def spring_lengths(m, d):
    """Set tendon_lengthspring, unless the model specifies it, to the current length, at which springs are at rest."""
    for t in range(m.ntendon):
        if m.tendon_lengthspring[t, 0] == -1.0 and m.tendon_lengthspring[t, 1] == -1.0:
            m.tendon_lengthspring[t, 0] = d.ten_length[t]
            m.tendon_lengthspring[t, 1] = d.ten_length[t]


@kernel(writes_model=True)
def actuator_constants(m, d):
    """Compute actuator_length0, and actuator_acc0, the norm of the joint acceleration due to a unit actuator force."""
    for o in range(m.nout):
        m.actuator_length0[o] = d.actuator_length[o]
        m.actuator_acc0[o] = 0.0
        row = m.moment_rowadr[o]
        count = m.moment_rownnz[o]
        if count > 0:
            first = first_of_tree(m, m.moment_colind[row])
            end = end_of_tree(m, m.moment_colind[row + count - 1])
            clear_forces(m, d, first, end)
            for a in range(row, row + count):
                d.unit.force[m.moment_colind[a]] = d.actuator_moment[a]
            respond(m, d, first, end)
            m.actuator_acc0[o] = sqrt(product_in_order(m, d.unit.response, d.unit.response, first, end))


@kernel(writes_model=True)
def damping_ratios(m, d):
    """Compute actuator_biasprm of position servos with a damping ratio from dof_M0 (as in MuJoCo 3.3.5)."""
    find_damping(m, d, reflected_inertia)


@kernel(writes_model=True)
def damping_ratios_coupled(m, d):
    """Compute actuator_biasprm of servos with a damping ratio from coupled inertias (as in MuJoCo 4.0).

    The coupled inertia is the inertia that an actuator moves if all dofs are free.
    """
    find_damping(m, d, coupled_inertia)


@kernel(writes_model=True)
def find_damping(m, d, inertia_of):
    """Replace the damping ratios of servos by damping coefficients.

    A ratio of 1 is critical damping of the inertia that the servo moves.
    """
    for u in range(m.nactuator):
        servo = m.actuator_gainprm[u, 0] == -m.actuator_biasprm[u, 1] or m.actuator_gaintype[u] == mjtGain.mjGAIN_PID
        if servo and m.actuator_biasprm[u, 2] > 0.0:
            # a negative gain has no damping: the result is NaN, as in MuJoCo's compiler
            inertia = inertia_of(m, d, u) if m.actuator_outnum[u] == 1 else coupled_inertia(m, d, u)
            damping = 2.0 * sqrt(-m.actuator_biasprm[u, 1] * inertia)
            m.actuator_biasprm[u, 2] = -m.actuator_biasprm[u, 2] * damping


@kernel
def reflected_inertia(m, d, u):
    """Return the sum of the inertias of the dofs that actuator u moves, each as if only that dof could move."""
    row = m.moment_rowadr[m.actuator_outadr[u]]
    inertia = 0.0
    for a in range(row, row + m.moment_rownnz[m.actuator_outadr[u]]):
        square = d.actuator_moment[a] * d.actuator_moment[a]
        seen = square > mjMINVAL
        inertia = inertia + where(seen, m.dof_M0[m.moment_colind[a]] / where(seen, square, 1.0), 0.0)
    return inertia


@kernel
def coupled_inertia(m, d, u):
    """Return 1 / (J inv(M) J') of actuator u, averaged over its outputs, or 0 if it moves nothing."""
    answer = 0.0
    for o in range(m.actuator_outadr[u], m.actuator_outadr[u] + m.actuator_outnum[u]):
        answer = answer + output_response(m, d, o)
    answer = answer / m.actuator_outnum[u]
    seen = answer > mjMINVAL
    return where(seen, 1.0 / where(seen, answer, 1.0), 0.0)


@kernel
def output_response(m, d, o):
    """Return J inv(M) J' of output o of an actuator."""
    row = m.moment_rowadr[o]
    count = m.moment_rownnz[o]
    if count == 0:
        return 0.0
    first = first_of_tree(m, m.moment_colind[row])
    end = end_of_tree(m, m.moment_colind[row + count - 1])
    clear_forces(m, d, first, end)
    for a in range(row, row + count):
        d.unit.force[m.moment_colind[a]] = d.actuator_moment[a]
    return respond(m, d, first, end)


@kernel(writes_model=True)
def edge_constants(m, d):
    """Compute flexedge_length0 and flexedge_invweight0; both are zero for trilinear flexes, which use no edges."""
    for f in range(m.nflex):
        if m.flex_interp[f] == 0:
            for e in range(m.flex_edgeadr[f], m.flex_edgeadr[f] + m.flex_edgenum[f]):
                edge_constant(m, d, f, e)


@kernel(writes_model=True)
def edge_constant(m, d, f, e):
    """Compute the length and inverse inertia of edge e of flex f.

    Between bodies that only slide, the inverse inertia is the mean of their inverse masses. Otherwise it is the inverse
    inertia along the edge, which MuJoCo computes only if edges are used.
    """
    v = m.flex_vertadr[f] + m.flex_edge[e, 0]
    w = m.flex_vertadr[f] + m.flex_edge[e, 1]
    a = m.flex_vertbodyid[v]
    b = m.flex_vertbodyid[w]
    start = mounted_position(d, a, m.flex_vert[v])
    end = mounted_position(d, b, m.flex_vert[w])
    length = norm(end - start)
    m.flexedge_length0[e] = length
    m.flexedge_invweight0[e] = 0.0
    used = m.flex_edgestiffness[f] != 0.0 or m.flex_edgedamping[f] != 0.0 or m.flex_damping[f] != 0.0
    if a != b:
        if m.body_simple[a] == ONLY_SLIDES and m.body_simple[b] == ONLY_SLIDES:
            m.flexedge_invweight0[e] = 0.5 * (1.0 / m.body_mass[a] + 1.0 / m.body_mass[b])
        elif used or m.flex_edgeequality[f] != 0:
            along = (end - start) * (1.0 / maximum(length, mjMINVAL))
            m.flexedge_invweight0[e] = pulled_apart(m, d, a, start, b, end, along)


@kernel
def pulled_apart(m, d, a, start, b, end, along):
    """Return the inverse inertia along the line between a point of body a and a point of body b."""
    i = last_dof(m, a)
    j = last_dof(m, b)
    if i < 0:
        i = j
    if j < 0:
        j = i
    if i < 0:
        return 0.0
    first = minimum(first_of_tree(m, i), first_of_tree(m, j))
    last = maximum(end_of_tree(m, i), end_of_tree(m, j))
    clear_forces(m, d, first, last)
    none = vec3(0.0, 0.0, 0.0)
    apply_force(m, d, d.unit.force, -along, none, start, a)
    apply_force(m, d, d.unit.force, along, none, end, b)
    return respond(m, d, first, last)
