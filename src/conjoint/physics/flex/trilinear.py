"""Elasticity of trilinear flexes: boxes with nodes as corners, rotated back before stiffness is applied (mj_passive).

For corotational linear elasticity, see Müller et al., A robust method to extract the rotational part of deformations,
2016.
"""

from conjoint.lang import conj_quat, kernel, load, local, mat3, quat, rotate, vec3
from conjoint.physics.arrays.rotation import nearest_rotation
from conjoint.physics.flex.forces import FORM, push_dofs
from conjoint.physics.flex.kinematics import NODES, node_position
from conjoint.physics.geometry.matrix import outer
from conjoint.physics.motion.support import apply_force, velocity_at
from conjoint.physics.passive_flags import acts, has_dampers, has_passive, has_springs


@kernel
def trilinear_forces(m, d):
    """Add the forces on nodes of trilinear flexes to qfrc_spring and qfrc_damper."""
    if not has_passive(m):
        return
    for f in range(m.nflex):
        # a flex with few elements has no room for a stiffness matrix, and so has none
        if m.flex_interp[f] != 0 and m.flex_rigid[f] == 0 and acts(m.flex_stiffness[m.flex_elemadr[f], 0]):
            box_forces(m, d, f)


@kernel
def corner_slope(k):
    """Return the gradient of the weight of node k at the center of the box."""
    return vec3((k >> 2) - 0.5, ((k >> 1) & 1) - 0.5, (k & 1) - 0.5) * 0.5


@kernel
def box_forces(m, d, f):
    """Add the spring and damper forces on the nodes of flex f to qfrc_spring and qfrc_damper."""
    # rotation nearest to the deformation at the center of the box, in coordinates of the unit box
    deformation = mat3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for k in range(NODES):
        deformation = deformation + outer(node_position(m, d, f, k), corner_slope(k))
    turn, _ = nearest_rotation(quat(1.0, 0.0, 0.0, 0.0), deformation)
    back = conj_quat(turn)
    displaced = local(vec3, NODES)
    moving = local(vec3, NODES)
    for k in range(NODES):
        n = m.flex_nodeadr[f] + k
        displaced[k] = rotate(back, node_position(m, d, f, k)) - m.flex_node0[n]
        moving[k] = rotate(back, node_velocity(m, d, f, k))
    for k in range(NODES):
        if has_springs(m):
            apply_node(m, d, f, k, back, stiff_force(m, f, k, displaced), d.qfrc_spring)
        if has_dampers(m):
            damping = stiff_force(m, f, k, moving) * m.flex_damping[f]
            apply_node(m, d, f, k, back, damping, d.qfrc_damper)


@kernel
def node_velocity(m, d, f, k):
    """Return the velocity of the body of node k of flex f.

    If the flex is centered, the result is the vector of the speeds of the body's dofs, as if their axes were the world
    axes.
    """
    body = m.flex_nodebodyid[m.flex_nodeadr[f] + k]
    if m.flex_centered[f] == 0:
        return velocity_at(m, d, body, d.xpos[body]).linear
    if m.body_dofnum[body] < 3:
        return vec3(0.0, 0.0, 0.0)
    return load(vec3, d.qvel, m.body_dofadr[body])


@kernel
def stiff_force(m, f, k, moved):
    """Return the force on node k of flex f from the displacements of all nodes.

    The node's rows of the stiffness matrix are stored where other flexes store the quadratic forms of their elements.
    """
    row = m.flex_elemadr[f] * FORM + k * 3 * 3 * NODES
    x = 0.0
    y = 0.0
    z = 0.0
    for n in range(NODES):
        for c in range(3):
            part = moved[n][c]
            x = x + m.flex_stiffness[row + 3 * n + c] * part
            y = y + m.flex_stiffness[row + 3 * NODES + 3 * n + c] * part
            z = z + m.flex_stiffness[row + 6 * NODES + 3 * n + c] * part
    return vec3(x, y, z)


@kernel
def apply_node(m, d, f, k, back, force, qfrc):
    """Add a force on node k of flex f, given in the rotated frame, to generalized forces, as in MuJoCo.

    The dofs of a centered node are treated as translations along the world axes. Otherwise, the force acts on the
    node's body, at the position that the node would have if the box were rotated back about the world's origin.
    """
    body = m.flex_nodebodyid[m.flex_nodeadr[f] + k]
    turned = rotate(conj_quat(back), force)
    if m.flex_centered[f] != 0:
        push_dofs(m, d, body, turned, qfrc)
    else:
        none = vec3(0.0, 0.0, 0.0)
        apply_force(m, d, qfrc, turned, none, rotate(back, node_position(m, d, f, k)), body)
