"""Constraint rows for the strain of trilinear flexes: deformations of the box of nodes, without its rotation.

The positions of the nodes are rotated back by the rotation nearest to the deformation gradient at the center of the
box. See Müller et al., A robust method to extract the rotational part of deformations, 2016. There is one row for each
deformation mode of a linear elastic box (`physics.flex.elasticity.strain_modes`).
"""

from conjoint.lang import conj_quat, dot, kernel, load, local, mat3, quat, rotate, vec3
from conjoint.physics.arrays.rotation import nearest_rotation
from conjoint.physics.constraint.impedance import row_parameters
from conjoint.physics.constraint.jacobian import column, open_rows
from conjoint.physics.constraint.rows import EQUALITY, moves_something, regularization, write_row
from conjoint.physics.flex.kinematics import NODES, node_position
from conjoint.physics.flex.trilinear import corner_slope
from conjoint.physics.geometry.matrix import outer
from conjoint.physics.motion.chains import begin_chains, length_of_chains, next_of_chains
from conjoint.physics.motion.support import tree_arm, velocity_of
from conjoint.schema.sizes import STRAIN_MODES


@kernel
def strain_rows(m, d, J, e, r):
    """Fill the strain rows of a flex, starting at row r, and return the first free row."""
    f = m.eq_obj1id[e]
    first = m.flex_nodeadr[f]
    turn = turn_of_box(m, d, f)
    back = conj_quat(turn)
    displaced = local(vec3, NODES)
    weight = 0.0
    for k in range(NODES):
        displaced[k] = rotate(back, node_position(m, d, f, k)) - m.flex_node0[first + k]
        weight = weight + m.body_invweight0[m.flex_nodebodyid[first + k]].x * (1.0 / NODES)
    reached = strain_jacobian(m, d, J, r, f, back)
    if not moves_something(m, d, r, STRAIN_MODES, reached):
        return r
    for mode in range(STRAIN_MODES):
        residual = 0.0
        for k in range(NODES):
            residual = residual + dot(mode_at(m, first + k, mode), displaced[k])
        act = row_parameters(m, m.eq_solref[e], m.eq_solimp[e], residual)
        write_row(d, r + mode, EQUALITY, e, residual, 0.0, act, regularization(act.I, weight))
    return r + STRAIN_MODES


@kernel
def mode_at(m, n, mode):
    """Return the displacement of node n in a deformation mode."""
    return load(vec3, m.flexnode_strain, (n, 3 * mode))


@kernel
def turn_of_box(m, d, f):
    """Return the rotation of the box spanned by the nodes of flex f."""
    first = m.flex_nodeadr[f]
    size = m.flex_node0[first + NODES - 1] - m.flex_node0[first]
    deformation = mat3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for k in range(NODES):
        slope = corner_slope(k)
        slope = vec3(slope.x / size.x, slope.y / size.y, slope.z / size.z)
        deformation = deformation + outer(node_position(m, d, f, k), slope)
    turn, _ = nearest_rotation(quat(1.0, 0.0, 0.0, 0.0), deformation)
    return turn


@kernel
def strain_jacobian(m, d, J, r, f, back):
    """Set the Jacobian of the displacements along the modes of flex f, starting at row r.

    The rotation `back` undoes the rotation of the box.

    Returns:
        True if any dof moves a node.
    """
    first = m.flex_nodeadr[f]
    bodies = local(int, NODES)
    dofs = local(int, NODES)
    for k in range(NODES):
        bodies[k] = m.flex_nodebodyid[first + k]
    place = length_of_chains(m, bodies, dofs, NODES)
    open_rows(d, J, r, STRAIN_MODES, place)
    i = begin_chains(m, bodies, dofs, NODES)
    reached = i >= 0
    while i >= 0:
        place -= 1
        a, step = column(m, d, J, r, STRAIN_MODES, place, i)
        for mode in range(STRAIN_MODES):
            d.efc_J[a + mode * step] = 0.0
        for k in range(NODES):
            if dofs[k] == i:
                arm = tree_arm(m, d, bodies[k], node_position(m, d, f, k))
                moved = rotate(back, velocity_of(d.cdof[i], arm))
                for mode in range(STRAIN_MODES):
                    at = a + mode * step
                    d.efc_J[at] = d.efc_J[at] + dot(mode_at(m, first + k, mode), moved)
        i = next_of_chains(m, dofs, NODES, i)
    return reached
